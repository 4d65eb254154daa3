//! The JSON text of requests that are values of Python.
//!
//! An agent sends its whole history with each request, and most messages are the same objects as before. Their texts are kept, with the
//! objects that they were written from, since writing them again takes longer than everything else.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// Larger and deeper values are written each time: a value may contain itself.
const MOST_VALUES: usize = 10_000;
const MOST_LEVELS: usize = 64;

/// The texts of the parts of a request, by the key that they are under. Lists have a part for each element.
#[derive(Default)]
pub(crate) struct Texts(HashMap<String, Vec<Part>>);

/// A part of a request.
struct Part {
    shape: Shape,
    text: String,
}

/// What a text was written from. Values that cannot change are compared as objects, which are kept, so that no other object is taken
/// for one of them.
enum Shape {
    Leaf(Py<PyAny>),
    List(Vec<Shape>),
    Object(Vec<(Py<PyAny>, Shape)>),
    /// A value of another type, which is written each time.
    Other,
}

impl Shape {
    /// The shape of a value, if it has at most so many values and levels.
    fn of(value: &Bound<'_, PyAny>, left: &mut usize, levels: usize) -> Self {
        let is_leaf = value.is_none()
            || value.is_exact_instance_of::<PyString>()
            || value.is_exact_instance_of::<PyBool>()
            || value.is_exact_instance_of::<PyInt>()
            || value.is_exact_instance_of::<PyFloat>();
        let (Some(less), Some(below)) = (left.checked_sub(1), levels.checked_sub(1)) else { return Self::Other };
        *left = less;
        if is_leaf {
            Self::Leaf(value.clone().unbind())
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            Self::List(list.iter().map(|inner| Self::of(&inner, left, below)).collect())
        } else if let Ok(object) = value.cast_exact::<PyDict>() {
            Self::Object(object.iter().map(|(key, inner)| (key.unbind(), Self::of(&inner, left, below))).collect())
        } else {
            Self::Other
        }
    }

    /// Whether a value has this shape, so that its text is the same.
    fn is_of(&self, value: &Bound<'_, PyAny>) -> bool {
        match self {
            Self::Leaf(leaf) => value.is(leaf),
            Self::List(shapes) => value.cast_exact::<PyList>().is_ok_and(|list| {
                list.len() == shapes.len() && shapes.iter().zip(list.iter()).all(|(shape, inner)| shape.is_of(&inner))
            }),
            Self::Object(shapes) => value.cast_exact::<PyDict>().is_ok_and(|object| {
                object.len() == shapes.len()
                    && shapes
                        .iter()
                        .zip(object.iter())
                        .all(|((key, shape), (other, inner))| other.is(key) && shape.is_of(&inner))
            }),
            Self::Other => false,
        }
    }
}

impl Part {
    fn new(value: &Bound<'_, PyAny>, dumps: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut left = MOST_VALUES;
        let shape = Shape::of(value, &mut left, MOST_LEVELS);
        let text = written(value, dumps)?;
        // Another thread may have changed the value meanwhile.
        Ok(Self { shape: if shape.is_of(value) { shape } else { Shape::Other }, text })
    }
}

impl Texts {
    /// The text of a request, and the texts of its parts for the next one. `dumps` writes one value, as text of which UTF-8 can be made.
    pub(crate) fn write(&mut self, body: &Bound<'_, PyAny>, dumps: &Bound<'_, PyAny>) -> PyResult<String> {
        let mut text = String::new();
        let mut parts = HashMap::new();
        if let Ok(object) = body.cast_exact::<PyDict>() {
            text.push('{');
            // As a list, since another thread may change the object.
            for item in object.items() {
                let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                // `json.dumps` makes a text of a key that is none.
                let Ok(name) = key.cast_exact::<PyString>() else { return written(body, dumps) };
                if text.len() > 1 {
                    text.push(',');
                }
                text.push_str(&written(&key, dumps)?);
                text.push(':');
                let name = name.to_string_lossy().into_owned();
                let new = write_parts(self.0.remove(&name).unwrap_or_default(), &value, dumps, &mut text)?;
                parts.insert(name, new);
            }
            text.push('}');
        } else {
            parts.insert(String::new(), write_parts(self.0.remove("").unwrap_or_default(), body, dumps, &mut text)?);
        }
        self.0 = parts;
        Ok(text)
    }
}

/// Appends the text of a value to that of the request. Returns its parts.
fn write_parts(
    before: Vec<Part>,
    value: &Bound<'_, PyAny>,
    dumps: &Bound<'_, PyAny>,
    text: &mut String,
) -> PyResult<Vec<Part>> {
    let mut before = before.into_iter();
    let mut part = |value: &Bound<'_, PyAny>| match before.next().filter(|part| part.shape.is_of(value)) {
        Some(part) => Ok(part),
        None => Part::new(value, dumps),
    };
    let Ok(list) = value.cast_exact::<PyList>() else {
        let part = part(value)?;
        text.push_str(&part.text);
        return Ok(vec![part]);
    };
    let mut parts = Vec::with_capacity(list.len());
    text.push('[');
    for (at, element) in list.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        let part = part(&element)?;
        text.push_str(&part.text);
        parts.push(part);
    }
    text.push(']');
    Ok(parts)
}

fn written(value: &Bound<'_, PyAny>, dumps: &Bound<'_, PyAny>) -> PyResult<String> {
    dumps.call1((value,))?.extract()
}
