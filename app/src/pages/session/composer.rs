//! The form for the next message. With JavaScript, the conversation is reloaded after it is sent.

use leptos::html::Textarea;
use leptos::prelude::*;

use crate::browser::send_on_ctrl_enter;
use crate::components::post_form::PostForm;

#[component]
pub fn Composer(id: String, sent: Callback<()>) -> impl IntoView {
    let text = NodeRef::<Textarea>::new();
    let outcome = RwSignal::new(None);
    let on_done = Callback::new(move |()| {
        if let Some(text) = text.get_untracked() {
            text.set_value("");
        }
        sent.run(());
        // The conversation shows the message, and that the answer is being written.
        outcome.set(None);
    });
    view! {
        <PostForm action="/rpc/send-message" class="composer" done="" on_done=on_done outcome=outcome>
            <input type="hidden" name="id" value=id.clone() />
            <label>"Next message"<textarea node_ref=text name="text" rows="2" required=true maxlength="100000" on:keydown=move |event| send_on_ctrl_enter(&event)></textarea></label>
            <p class="form-buttons">
                <button class="button primary" type="submit">"Send"</button>
                <span class="hint js-only">"Ctrl Enter or ⌘ Enter"</span>
                <a class="composer-more" href=format!("/launch?session={id}")>"Send with other settings"</a>
            </p>
        </PostForm>
    }
}
