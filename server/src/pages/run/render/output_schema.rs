//! Whether the answer has the shape that was asked for, in words.

use leptos::prelude::*;

use super::html;
use crate::components::icon::{Icon, IconView};
use crate::plain_text::visible;
use crate::run::schema_fit::SchemaFit;

pub fn fit(fit: SchemaFit) -> String {
    match fit {
        SchemaFit::Fits => html(
            view! { <p class="fit" data-tone="success"><IconView icon=Icon::Check />"Breaks no rule of the output schema."</p> },
        ),
        SchemaFit::NotJson => html(
            view! { <p class="fit" data-tone="error"><IconView icon=Icon::Alert />"An output schema was asked for, but the answer is no JSON."</p> },
        ),
        SchemaFit::Breaks(faults) => {
            let faults = faults.into_iter().map(|(path, message)| {
                let path = if path.is_empty() { "the whole answer".to_owned() } else { path };
                view! { <li><code>{visible(&path).into_owned()}</code>" "{visible(&message).into_owned()}</li> }
            });
            html(view! {
                <div class="fit" data-tone="error">
                    <p><IconView icon=Icon::Alert />"Does not fit the output schema:"</p>
                    <ul>{faults.collect_view()}</ul>
                </div>
            })
        }
    }
}
