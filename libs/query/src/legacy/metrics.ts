// GET /api/public/metrics (contract §20.7). This endpoint accepts the queries of metrics v2, but reads the old tables and does not have
// v2's limits on dimensions and rows.
import type { MetricsVersion } from '../metrics/plan.ts'
import { type Metrics, queryMetrics } from '../metrics/run.ts'
import type { Reads } from '../sql/select.ts'
import type { Asked } from './bounds.ts'
import { legacyViews } from './metrics-views.ts'

/** Default limit on the number of rows. No chart needs more rows, and a response with more rows would delay other requests. */
const version: MetricsVersion = { views: legacyViews, defaultLimit: 10_000, limitsHigh: false }

/** `query` is JSON text. Throws InvalidQuery, a column_store_* AppError, or the signal's reason. */
export const legacyMetrics = (columnStore: Reads, asked: Asked<string>): Promise<Metrics> =>
  queryMetrics(columnStore, { ...asked, version })
