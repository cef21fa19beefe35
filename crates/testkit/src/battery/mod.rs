//! One battery per seam. Each checks one policy, given by its maker and named `context` in messages, and
//! panics at the first thing that policy may not do.
