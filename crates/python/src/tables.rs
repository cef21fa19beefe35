//! Tables: from the core's columns or Python's lists to Arrow and Parquet, and back. Rows never pass one by one.

use crate::errors::{guarded, input};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, make_array,
};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::coalesce::BatchCoalescer;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use pyo3::exceptions::{PyKeyError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use sim::tables::{Column, TABLES, Type};
use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Constant: number of rows in a row group of a Parquet file; the rows of a group are held in memory, compressed, until
/// the group is written.
const GROUP_ROWS: usize = 1_000_000;
/// Constant: number of rows that are passed to the writer of a Parquet file in one batch.
const BATCH_ROWS: usize = 16_384;

/// Constant: metadata key under which a column of an Arrow table or Parquet file gives its unit.
const UNIT: &str = "unit";
/// Constant: metadata key under which a column of an Arrow table or Parquet file gives its meaning.
const MEANING: &str = "meaning";

/// Returns, for Python, the descriptions of all tables that a run writes, with their columns, as JSON.
#[pyfunction]
pub fn table_columns() -> String {
    serde_json::json!(TABLES).to_string()
}

/// Makes the description of an Arrow column with this name, type and metadata.
pub fn field(name: &str, kind: Type, metadata: &[(&str, &str)]) -> Field {
    let kind = match kind {
        Type::Uint8 => DataType::UInt8,
        Type::Uint16 => DataType::UInt16,
        Type::Uint32 => DataType::UInt32,
        Type::Uint64 => DataType::UInt64,
        Type::Int64 => DataType::Int64,
        Type::Double => DataType::Float64,
        Type::String => DataType::Utf8,
    };
    let metadata: HashMap<_, _> =
        metadata.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Field::new(name, kind, true).with_metadata(metadata)
}

/// Makes the Arrow schema of a table's columns, with the unit and the meaning of each column in its metadata.
pub fn schema(columns: &[Column]) -> SchemaRef {
    let field =
        |column: &Column| field(column.name, column.kind, &[(UNIT, column.unit), (MEANING, column.meaning)]);
    Schema::new(columns.iter().map(field).collect::<Vec<_>>()).into()
}

/// Returns the name of an Arrow data type, in lower case and with the type's parameters, for Python: `double` for
/// 64-bit floats, `string` for texts, the library's own name for other types.
fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::Float64 => "double".into(),
        DataType::Utf8 => "string".into(),
        other => other.to_string().to_lowercase(),
    }
}

/// Python class: table of columns of equal length, in Arrow's memory format; a missing value in a column is None in
/// Python.
#[pyclass(name = "Table", frozen)]
pub struct ArrowTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ArrowTable {
    /// Makes a table from little-endian columns of numbers, without copying them where they are aligned.
    pub fn of_bytes(schema: SchemaRef, columns: Vec<Vec<u8>>) -> Self {
        if columns.is_empty() {
            return Self { schema, batches: Vec::new() };
        }
        let array = |(field, bytes): (&Arc<Field>, Vec<u8>)| {
            let width = field.data_type().primitive_width().expect("columns of bytes hold numbers");
            let data = ArrayDataBuilder::new(field.data_type().clone())
                .len(bytes.len() / width)
                .add_buffer(bytes.into())
                .align_buffers(true);
            make_array(data.build().expect("one buffer of so many values"))
        };
        let arrays = schema.fields().iter().zip(columns).map(array).collect();
        let batch = RecordBatch::try_new(schema.clone(), arrays).expect("columns have equal lengths");
        Self { schema, batches: vec![batch] }
    }

    fn index(&self, name: &str) -> PyResult<usize> {
        self.schema.index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))
    }

    fn parts(&self, name: &str) -> PyResult<Vec<&ArrayRef>> {
        let index = self.index(name)?;
        Ok(self.batches.iter().map(|batch| batch.column(index)).collect())
    }
}

#[pymethods]
impl ArrowTable {
    /// Makes a table of the columns `(name, type, unit, meaning)` from the lists of equal length in `values`, by column
    /// name; None is a missing value. Types: int64, double, string.
    #[new]
    fn new(columns: Vec<(String, String, String, String)>, values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, kind, unit, meaning) in &columns {
            let list = values.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.clone()))?;
            let (kind, array): (Type, ArrayRef) = match kind.as_str() {
                "int64" => (
                    Type::Int64,
                    Arc::new(list.extract::<Vec<Option<i64>>>()?.into_iter().collect::<Int64Array>()),
                ),
                "double" => (
                    Type::Double,
                    Arc::new(list.extract::<Vec<Option<f64>>>()?.into_iter().collect::<Float64Array>()),
                ),
                "string" => (
                    Type::String,
                    Arc::new(list.extract::<Vec<Option<String>>>()?.into_iter().collect::<StringArray>()),
                ),
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "{name}: {other}: expected int64, double or string"
                    )));
                }
            };
            fields.push(field(name, kind, &[(UNIT, unit), (MEANING, meaning)]));
            arrays.push(array);
        }
        let schema: SchemaRef = Schema::new(fields).into();
        let batch = RecordBatch::try_new(schema.clone(), arrays);
        Ok(Self { schema, batches: vec![batch.map_err(|error| PyValueError::new_err(error.to_string()))?] })
    }

    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Name, type, unit and meaning of each column of the table; unit and meaning are empty where the file has none.
    #[getter]
    fn columns(&self) -> Vec<(String, String, String, String)> {
        let of = |field: &Arc<Field>, key| field.metadata().get(key).cloned().unwrap_or_default();
        let fields = self.schema.fields().iter();
        fields
            .map(|field| {
                (field.name().clone(), type_name(field.data_type()), of(field, UNIT), of(field, MEANING))
            })
            .collect()
    }

    /// Returns the values of the column `name` as a list, with None for each missing value.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for part in self.parts(name)? {
            macro_rules! numbers {
                ($kind:ty) => {
                    part.as_primitive::<$kind>().iter().try_for_each(|value| list.append(value))?
                };
            }
            match part.data_type() {
                DataType::UInt8 => numbers!(UInt8Type),
                DataType::UInt16 => numbers!(UInt16Type),
                DataType::UInt32 => numbers!(UInt32Type),
                DataType::UInt64 => numbers!(UInt64Type),
                DataType::Int64 => numbers!(Int64Type),
                DataType::Float64 => numbers!(Float64Type),
                DataType::Utf8 => part.as_string::<i32>().iter().try_for_each(|value| list.append(value))?,
                other => {
                    return Err(input(format!(
                        "column {name}: {}: expected a number or text",
                        type_name(other)
                    )));
                }
            }
        }
        Ok(list)
    }

    /// Returns true if the column `name` of the Arrow table has no missing values.
    fn complete(&self, name: &str) -> PyResult<bool> {
        Ok(self.parts(name)?.iter().all(|part| part.null_count() == 0))
    }

    /// Returns, for Python, the values of a column of numbers of the Arrow table as little-endian bytes; raises
    /// TypeError if a value is missing or the column has no numbers.
    fn column_bytes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let parts = self.parts(name)?;
        let mut bytes = Vec::new();
        for part in parts {
            let Some(width) = part.data_type().primitive_width().filter(|_| part.null_count() == 0) else {
                return Err(PyTypeError::new_err(format!("column {name}: expected numbers without gaps")));
            };
            let data = part.to_data();
            let from = data.offset() * width;
            bytes.extend_from_slice(&data.buffers()[0].as_slice()[from..from + part.len() * width]);
        }
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the table as a stream for libraries with Arrow's C stream interface: polars, pandas, pyarrow, duckdb.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // a wish, which the interface allows to refuse
        let batches: Vec<Result<_, ArrowError>> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// Returns the settings with which the Parquet file of a table is written: columns of unsigned whole numbers are stored
/// as differences from the row before, not by a list of the values that occur, because that takes a fraction of the
/// time and most of these columns (as in the table of requests) have too many values for a list.
fn properties(schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    for field in schema.fields().iter().filter(|field| field.data_type().is_unsigned_integer()) {
        let column = ColumnPath::from(field.name().as_str());
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

/// Python class: writer of one Parquet file, table by table, all with the same columns.
#[pyclass(frozen)]
pub struct Writer {
    path: PathBuf,
    open: Mutex<Option<Open>>,
}

/// State of a Parquet file that is being written. Python passes the rows in slices that depend on the speed of the
/// machine, but they are written in batches of fixed size, so that the same run gives the same bytes.
struct Open {
    file: ArrowWriter<File>,
    rows: BatchCoalescer,
}

impl Open {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.rows.push_batch(batch.clone())?;
        self.write_whole()
    }

    fn close(mut self) -> Result<(), ParquetError> {
        self.rows.finish_buffered_batch()?;
        self.write_whole()?;
        self.file.close().map(drop)
    }

    fn write_whole(&mut self) -> Result<(), ParquetError> {
        while let Some(batch) = self.rows.next_completed_batch() {
            self.file.write(&batch)?;
        }
        Ok(())
    }
}

#[pymethods]
impl Writer {
    /// Makes a writer of the Parquet file `path`; the file is created when the first table is written.
    #[new]
    fn new(path: PathBuf) -> Self {
        Self { path, open: Mutex::new(None) }
    }

    /// Appends the rows of `table` to the Parquet file, which the first call creates.
    fn write(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<()> {
        guarded(py, || {
            let mut open = self.open.lock().map_err(|_| PyValueError::new_err("the writer failed before"))?;
            if open.is_none() {
                let file = File::create(&self.path)?;
                let schema = table.schema.clone();
                let rows = BatchCoalescer::new(schema.clone(), BATCH_ROWS);
                let file =
                    ArrowWriter::try_new(file, schema.clone(), Some(properties(&schema))).map_err(failed)?;
                *open = Some(Open { file, rows });
            }
            let open = open.as_mut().expect("it was opened");
            table.batches.iter().try_for_each(|batch| open.write(batch)).map_err(failed)
        })
    }

    /// Writes the rows that are not written yet and completes the Parquet file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, || {
            let open =
                self.open.lock().map_err(|_| PyValueError::new_err("the writer failed before"))?.take();
            open.map_or(Ok(()), |open| open.close().map_err(failed))
        })
    }
}

/// Makes the Python exception for an error in writing: the disk's own error where it is one.
fn failed(error: ParquetError) -> PyErr {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => (*error).into(),
            Err(other) => PyOSError::new_err(other.to_string()),
        },
        other => PyOSError::new_err(other.to_string()),
    }
}

/// Reads a Parquet file of at most `rows_most` rows into a table. Raises FileNotFoundError, OSError, or InputError for
/// a file that is no Parquet file or has more rows.
#[pyfunction]
pub fn read_parquet(py: Python<'_>, path: PathBuf, rows_most: u64) -> PyResult<ArrowTable> {
    guarded(py, || {
        let file = File::open(&path)?;
        let damaged = |error: String| input(format!("not readable as Parquet ({error})"));
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(error.to_string()))?;
        let rows = builder.metadata().file_metadata().num_rows();
        if u64::try_from(rows).is_ok_and(|rows| rows > rows_most) {
            return Err(input(format!("{rows} rows: expected at most {rows_most}")));
        }
        let schema = builder.schema().clone();
        let reader = builder.build().map_err(|error| damaged(error.to_string()))?;
        let batches = reader.collect::<Result<_, _>>().map_err(|error| damaged(error.to_string()))?;
        Ok(ArrowTable { schema, batches })
    })
}
