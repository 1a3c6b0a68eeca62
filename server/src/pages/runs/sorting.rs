//! Builds the column headers that sort the list.

use app::model::Column;
use app::model::runs::{SortDirection, SortLink};
use domain::{RunSort, SortColumn};
use protocol::Query;

use crate::pages::list::Links;

/// A header sorts by its column, the largest first. The header that the list is sorted by reverses the order.
pub fn build_sorting(links: &Links, query: &Query, sort: RunSort) -> Vec<SortLink> {
    let link = |column: SortColumn| {
        let is_current = sort.column == column;
        let next = if is_current { sort.reversed() } else { RunSort { column, ascending: false } };
        let direction = if sort.ascending { SortDirection::Ascending } else { SortDirection::Descending };
        SortLink {
            column: table_column(column),
            href: links.sorted(next).url(query),
            direction: is_current.then_some(direction),
        }
    };
    SortColumn::ALL.into_iter().map(link).collect()
}

fn table_column(column: SortColumn) -> Column {
    match column {
        SortColumn::Created => Column::Created,
        SortColumn::Duration => Column::Duration,
        SortColumn::Tokens => Column::Tokens,
        SortColumn::Cost => Column::Cost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ViewList;

    #[test]
    fn a_header_sorts_by_its_column_and_then_reverses_the_order() {
        let query = Query::parse("env:prod").expect("a query");
        let sort: RunSort = "-cost".parse().expect("an order");
        let links = Links::to_list(ViewList::Runs).sorted(sort);
        let sorting = build_sorting(&links, &query, sort);
        let found: Vec<(Column, &str)> = sorting.iter().map(|link| (link.column, link.href.as_str())).collect();
        assert_eq!(
            found,
            [
                (Column::Created, "/runs?q=env:prod"),
                (Column::Duration, "/runs?sort=-duration&q=env:prod"),
                (Column::Tokens, "/runs?sort=-tokens&q=env:prod"),
                (Column::Cost, "/runs?sort=cost&q=env:prod"),
            ]
        );
        assert_eq!(sorting[3].direction, Some(SortDirection::Descending));
        assert!(sorting[..3].iter().all(|link| link.direction.is_none()));
    }
}
