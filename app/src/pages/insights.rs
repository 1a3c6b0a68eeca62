//! Insights: how the runs that match a filter ended, how long they took, what they cost, and how they used tools.
//!
//! All figures are HTML from the server: they are links, and need no scripts.

use leptos::prelude::*;

use crate::AppError;
use crate::api::insights::load_insights;
use crate::components::chart::ChartView;
use crate::components::error_view::ErrorView;
use crate::components::filter_bar::FilterBar;
use crate::components::icon::{Icon, IconView};
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::time_range::TimeRangePicker;
use crate::model::insights::{InsightsAddress, InsightsModel};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use domain::ViewList;

lazy_page!(InsightsRoute = InsightsPage, runs);

const PATH: &str = "/insights";

#[component]
fn InsightsPage() -> impl IntoView {
    let params = use_query_string();
    let address = Memo::new(move |_| params.with(InsightsAddress::from_query));
    let insights = PageData::load(move || address.get(), load_insights);
    view! {
        <PageTitle text="Insights" />
        {insights.show(|insights| match insights {
            Ok(insights) => view! { <Loaded insights /> }.into_any(),
            Err(error) => view! { <header class="page-head"><h1>"Insights"</h1></header><ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Loaded(insights: InsightsModel) -> impl IntoView {
    let is_invalid = !insights.filter_bar.errors.is_empty();
    if is_invalid {
        AppError::Invalid { field: "q".to_owned(), message: String::new() }.set_response_status();
    }
    let kept = insights.filter_bar.kept.clone();
    let body = match insights.chart {
        _ if is_invalid => {
            view! { <section class="empty"><IconView icon=Icon::Alert /><p>"Fix the filter to see figures."</p></section> }
                .into_any()
        }
        None => {
            view! { <section class="empty"><IconView icon=Icon::Chart /><h2>"No matching runs"</h2><p>"Choose a longer time range, or remove a filter."</p></section> }
                .into_any()
        }
        Some(chart) => view! {
            <div inner_html=insights.rates></div>
            <ChartView chart />
            <div class="insights" inner_html=insights.body></div>
        }
        .into_any(),
    };
    view! {
        <header class="page-head page-head-actions">
            <h1>"Insights"</h1>
            <span class="sync"><span class="hint matching">{insights.runs}</span></span>
            <TimeRangePicker action=PATH range=insights.time_range kept />
        </header>
        <FilterBar list=ViewList::Runs action=PATH bar=insights.filter_bar placeholder="Filter: model:gpt-5.5 customer:acme tool:search, or any words" />
        {insights.notices.into_iter().map(|note| view! { <p class="notice" role="status"><IconView icon=Icon::Info />{note}</p> }).collect_view()}
        {body}
    }
}
