//! The form for the next message. With JavaScript, the conversation is reloaded after it is sent.

use leptos::html::Textarea;
use leptos::prelude::*;

use crate::components::post_form::PostForm;

#[component]
pub fn Composer(id: String, sent: Callback<()>) -> impl IntoView {
    let text = NodeRef::<Textarea>::new();
    let on_done = Callback::new(move |()| {
        if let Some(text) = text.get_untracked() {
            text.set_value("");
        }
        sent.run(());
    });
    view! {
        <PostForm action="/rpc/send-message" class="composer" done="Sent. The answer appears above." on_done=on_done>
            <input type="hidden" name="id" value=id />
            <label>"Next message"<textarea node_ref=text name="text" rows="3" required=true maxlength="100000"></textarea></label>
            <button class="button primary" type="submit">"Send"</button>
        </PostForm>
    }
}
