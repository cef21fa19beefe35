//! The translation layers that there are, and what a drive asks of its own.

mod answers;
mod buffer;
mod ftl;
mod list;
mod placing;
mod zoned;

pub use buffer::BufferView;
pub use ftl::Ftl;
pub(crate) use list::AnyLayer;
pub use placing::Placing;
pub use zoned::ZonedLayer;
