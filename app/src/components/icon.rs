//! Line icons on a 16-unit grid, in the colour of the text around them.

use leptos::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Runs,
    Check,
    Cross,
    Slash,
    Clock,
    Play,
    Loop,
    Cut,
    Gauge,
    Alert,
    Info,
    Tool,
    Hand,
    Thought,
    Sun,
    Moon,
    System,
    Rail,
    Out,
    Copy,
    Next,
    Back,
    Forward,
    Pause,
    Up,
    Down,
    Download,
    Thumb,
    ThumbDown,
    People,
    Panel,
    Chat,
    Search,
    More,
    Failures,
    Mute,
    Chart,
    Settings,
}

impl Icon {
    /// The shape, as the attribute `d` of a path.
    pub fn path(self) -> &'static str {
        match self {
            Self::Runs => "M2.5 4h11M2.5 8h11M2.5 12h7",
            Self::Check => "M3 8.5l3.2 3.2L13 5",
            Self::Cross => "M4 4l8 8M12 4l-8 8",
            Self::Slash => "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M4.2 11.8l7.6-7.6",
            Self::Clock => "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2 1.3",
            Self::Play => "M5 3.5l7 4.5l-7 4.5z",
            Self::Loop => {
                "M3 7.5a5 5 0 0 1 8.7-2.8L13.5 6.5M13.5 3v3.5H10M13 8.5a5 5 0 0 1-8.7 2.8L2.5 9.5M2.5 13V9.5H6"
            }
            Self::Cut => "M2.5 4h11M2.5 8h6M11 6.5v3M13.5 6.5v3M2.5 12h3",
            Self::Gauge => "M2.8 11.5a5.8 5.8 0 1 1 10.4 0M8 9.5l2.8-3.2",
            Self::Alert => "M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.3",
            Self::Info => "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 7.2v3.6M8 5v.3",
            Self::Tool => "M9.8 2.6a3.4 3.4 0 0 0-3.3 4.6L2.6 11l2.4 2.4l3.8-3.9a3.4 3.4 0 0 0 4.4-4.5L11 7L9 5z",
            Self::Hand => "M3 9.5h6.5L8 8M9.5 9.5L8 11M12.5 3v10",
            Self::Thought => "M4 10.5a3 3 0 0 1 .3-5.9a3.6 3.6 0 0 1 6.9-.2a3 3 0 0 1 .6 6.1zM5.5 13h.2",
            Self::Sun => {
                "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1"
            }
            Self::Moon => "M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6z",
            Self::System => "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13",
            Self::Rail => "M2.5 3h11v10h-11zM6 3v10",
            Self::Out => "M6.5 2.5h-3v11h3M6.5 8h7M11 5.5L13.5 8L11 10.5",
            Self::Copy => "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
            Self::Next => "M3 8h9.5M8.5 4l4 4l-4 4",
            Self::Back => "M10.5 3.5L5 8l5.5 4.5zM4 3.5v9",
            Self::Forward => "M5.5 3.5L11 8l-5.5 4.5zM12 3.5v9",
            Self::Pause => "M5.5 3.5v9M10.5 3.5v9",
            Self::Up => "M4 10l4-4l4 4",
            Self::Down => "M4 6l4 4l4-4",
            Self::Download => "M8 2.5v7.5M5 7.5L8 10.5L11 7.5M3 13.5h10",
            Self::Thumb => {
                "M2.5 7.5h2.5v6h-2.5zM5 7.5l3-5c1.2 0 1.8.8 1.5 2L9 6.5h3.2c.9 0 1.5.8 1.3 1.7l-.9 4c-.2.8-.8 1.3-1.6 1.3H5"
            }
            Self::People => {
                "M6 3a2.3 2.3 0 1 0 0 4.6a2.3 2.3 0 1 0 0-4.6M2 13c0-2.4 1.7-3.8 4-3.8s4 1.4 4 3.8M10.5 3.3a2.2 2.2 0 0 1 0 4.1M11.8 9.6c1.4.5 2.2 1.7 2.2 3.4"
            }
            Self::Panel => "M2.5 3h11v10h-11zM9.5 3v10",
            Self::Search => "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L13.5 13.5",
            Self::Failures => "M2.5 4.5h6.5M2.5 8h4.5M2.5 11.5h4.5M9.5 8l4 4M13.5 8l-4 4",
            Self::Mute => "M2.5 6.5h2.5l3-3v9l-3-3h-2.5zM10.5 6.5l3 3M13.5 6.5l-3 3",
            Self::More => "M3.5 8h.1M8 8h.1M12.5 8h.1",
            Self::Chart => "M2.5 13.5h11M4.5 13.5v-4M8 13.5v-10M11.5 13.5v-7",
            Self::Settings => {
                "M2.5 4.5h5.5M11.5 4.5h2M9.8 2.8a1.7 1.7 0 1 0 0 3.4a1.7 1.7 0 1 0 0-3.4M2.5 11.5h2M8 11.5h5.5M6.2 9.8a1.7 1.7 0 1 0 0 3.4a1.7 1.7 0 1 0 0-3.4"
            }
            Self::Chat => "M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z",
            Self::ThumbDown => {
                "M2.5 8.5h2.5v-6h-2.5zM5 8.5l3 5c1.2 0 1.8-.8 1.5-2L9 9.5h3.2c.9 0 1.5-.8 1.3-1.7l-.9-4c-.2-.8-.8-1.3-1.6-1.3H5"
            }
        }
    }
}

/// Hidden from screen readers, because every icon has a text label beside it.
#[component]
pub fn IconView(icon: Icon) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d=icon.path() fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
        </svg>
    }
}
