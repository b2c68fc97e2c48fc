// GET /api/public/metrics (contract §20.7): queries of metrics v2 on the v3 tables, without the limits on dimensions and rows.
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
