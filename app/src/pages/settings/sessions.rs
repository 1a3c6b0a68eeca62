//! The viewer's signed-in sessions, and buttons that sign out of the others or of all.

use leptos::prelude::*;

use crate::components::time::RelativeTime;
use crate::model::settings::SignInModel;

#[component]
pub fn Sessions(sign_ins: Vec<SignInModel>, now_ms: i64) -> impl IntoView {
    let others = sign_ins.len() > 1;
    let rows = sign_ins.into_iter().map(|sign_in| {
        let address = sign_in.address.unwrap_or_else(|| "unknown".to_owned());
        let used = if sign_in.current {
            "This session".into_any()
        } else {
            view! { <RelativeTime at_ms=sign_in.used_at_ms now_ms /> }.into_any()
        };
        view! {
            <tr>
                <td><RelativeTime at_ms=sign_in.signed_in_at_ms now_ms /></td>
                <td>{used}</td>
                <td><code>{address}</code></td>
            </tr>
        }
    });
    view! {
        <p class="hint">"Your sessions in this workspace. The last use is stored once an hour. A session ends after 14 days without use, and 90 days after the sign-in."</p>
        <div class="table-scroll" role="region" aria-label="Your sessions" tabindex="0">
            <table class="tools">
                <thead><tr><th scope="col">"Signed in"</th><th scope="col">"Last used"</th><th scope="col">"Address at sign-in"</th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        <div class="form-buttons">
            {others.then(|| view! {
                <form method="post" action="/auth/sign-out-others"><button class="button" type="submit">"Sign out other sessions"</button></form>
            })}
            <details class="popover-holder" data-popover="">
                <summary class="button">"Sign out everywhere"</summary>
                <div class="popover">
                    <p>"You are signed out here too."</p>
                    <form method="post" action="/auth/sign-out-everywhere"><button class="button danger" type="submit">"Sign out everywhere"</button></form>
                </div>
            </details>
        </div>
        <p class="hint">"Signing out also stops the background sync and pending answers that use your sign-ins."</p>
    }
}
