//! Recordings.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// One recorded conversation.
#[pyclass(frozen)]
pub(crate) struct Transcript(pub(crate) trimtab::Transcript);

/// Reads the conversations of a recording.
#[pyfunction]
#[pyo3(signature = (data, format=None))]
pub(crate) fn read_transcripts(py: Python<'_>, data: &[u8], format: Option<&str>) -> PyResult<Vec<Transcript>> {
    let transcripts = py.detach(|| trimtab::read_transcripts(data, format));
    let transcripts = transcripts.map_err(|error| match error.line {
        Some(line) => PyValueError::new_err(format!("line {line}: {}", error.message)),
        None => PyValueError::new_err(error.message),
    })?;
    Ok(transcripts.into_iter().map(Transcript).collect())
}

#[pymethods]
impl Transcript {
    /// Its id; empty if it is the only conversation of its file.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// The format from which it was read.
    #[getter]
    fn format(&self) -> &'static str {
        self.0.format()
    }

    /// The model that wrote most replies.
    #[getter]
    fn model(&self) -> Option<&str> {
        self.0.model()
    }

    /// The context window in tokens.
    #[getter]
    fn window(&self) -> Option<u64> {
        self.0.window()
    }

    /// The number of messages.
    fn __len__(&self) -> usize {
        self.0.messages()
    }

    /// The conversation in the form of Trimtab's own recordings.
    fn to_jsonl(&self) -> String {
        self.0.to_jsonl()
    }
}
