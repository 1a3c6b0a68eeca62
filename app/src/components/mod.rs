//! Components that several pages share.

pub mod batch_line;
pub mod code_words;
pub mod completion;
pub mod copy;
pub mod error_view;
pub mod event_link;
pub mod facet_panel;
pub mod filter_bar;
pub mod frame;
pub mod get_form;
pub mod icon;
pub mod json_tree;
pub mod metadata;
pub mod no_match;
pub mod page_title;
pub mod palette;
pub mod post_form;
pub mod status;
pub mod text_area;
pub mod time;
pub mod view_tabs;
pub mod when_loaded;
