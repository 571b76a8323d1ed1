// Package costs is the ledger of what calls to models cost, and the budgets that limit it.
//
// In:    a Call before a model is asked, what it used afterwards; budgets; invoices; limits of runs.
// Out:   a Reservation or a 429 that names the budget; records, totals, trends, forecasts, advice, exports; Meter, which does all this around a model.
// Keeps: costs_records, costs_budgets, costs_periods, costs_processes, costs_versions, costs_days; a journal beside the database.
// Says:  costs.updated (droppable), costs.budget_warned, costs.budget_exceeded, costs.request_blocked, costs.budget_created, costs.budget_changed, costs.budget_deleted.
// Not here: prices and what an adapter counts (providers); asking people (guard); HTTP (api).
//
// A call's row and what budgets hold for it are durable before the vendor is
// asked, so a crash never hides that money was spent: in the database, or in a
// journal from which the database takes them in groups. What it really used is
// written behind, too. Rows that a dead process left open are closed by the next
// sweep with what was known of them, marked broken and estimated.
//
// The database is the truth. All changes of one process go through one queue
// that is written in groups; where several processes share a database, the rows
// of the budgets concerned are locked in a fixed order.
package costs
