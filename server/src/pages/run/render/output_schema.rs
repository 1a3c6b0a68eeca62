//! The result of the output schema check.

use leptos::prelude::*;

use super::html;
use crate::masking::shown;
use crate::pages::run::output_schema::SchemaResult;
use app::components::icon::{Icon, IconView};

pub fn schema_result(result: SchemaResult) -> String {
    match result {
        SchemaResult::Valid => html(
            view! { <p class="fit" data-tone="success"><IconView icon=Icon::Check />"Valid against the output schema"</p> },
        ),
        SchemaResult::NotJson => html(
            view! { <p class="fit" data-tone="error"><IconView icon=Icon::Alert />"The run has an output schema, but the output is not JSON."</p> },
        ),
        SchemaResult::Invalid(violations) => {
            let violations = violations.into_iter().map(|(path, message)| {
                let path = if path.is_empty() { "the whole answer".to_owned() } else { path };
                view! { <li><code>{shown(&path).into_owned()}</code>" "{shown(&message).into_owned()}</li> }
            });
            html(view! {
                <div class="fit" data-tone="error">
                    <p><IconView icon=Icon::Alert />"Not valid against the output schema:"</p>
                    <ul>{violations.collect_view()}</ul>
                </div>
            })
        }
    }
}
