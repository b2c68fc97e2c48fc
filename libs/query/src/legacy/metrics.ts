// Executes the queries of GET /api/public/metrics (contract §20.7) on the v3 tables. The queries have the form of metrics v2. Unlike in
// metrics v2, a query that groups by a dimension with many distinct values needs no order and no limit. The default limit is 10,000 rows;
// the default limit of metrics v2 is 100 rows.
import type { MetricsVersion } from '../metrics/plan.ts'
import { type Metrics, queryMetrics } from '../metrics/run.ts'
import type { Reads } from '../sql/select.ts'
import type { Asked } from './bounds.ts'
import { legacyViews } from './metrics-views.ts'

/** The default limit is enough for any chart. A larger response would delay other requests. */
const version: MetricsVersion = { views: legacyViews, defaultLimit: 10_000, limitsHigh: false }

/** `query` is JSON text. Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export const legacyMetrics = (columnStore: Reads, asked: Asked<string>): Promise<Metrics> =>
  queryMetrics(columnStore, { ...asked, version })
