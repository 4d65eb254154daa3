//! Exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(trimtab, PolicyError, PyValueError, "A policy or a plan is invalid.");
create_exception!(trimtab, RequestError, PyValueError, "The JSON is not a request or a reply in the dialect.");
create_exception!(trimtab, RestoreError, PyValueError, "A saved session cannot be continued under this policy.");
