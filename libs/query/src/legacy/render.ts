// Converts the rows of legacy reads to JSON responses, in any thread.
import type { LegacyObservationsPage, ObservationRows } from './observations.ts'
import { isScore, legacyScoreView, listedScoreView } from './score-view.ts'
import type { LegacyScoreRows, LegacyScoresPage, ScoresVersion } from './scores.ts'
import type { FoundSession } from './sessions.ts'
import type { FoundTrace, TracePage } from './traces.ts'
import { foundTraceView, legacyObservationView, listedTraceView, traceView } from './views.ts'

export type LegacyResponse =
  | { readonly is: 'traces'; readonly found: TracePage }
  | { readonly is: 'trace'; readonly found: FoundTrace }
  | { readonly is: 'observations'; readonly found: LegacyObservationsPage }
  | { readonly is: 'observation'; readonly found: ObservationRows }
  | { readonly is: 'scores'; readonly version: ScoresVersion; readonly found: LegacyScoresPage }
  | { readonly is: 'score'; readonly version: ScoresVersion; readonly found: LegacyScoreRows }
  | { readonly is: 'session'; readonly found: FoundSession }

export const legacyText = (response: LegacyResponse): string => JSON.stringify(bodyOf(response))

function bodyOf(response: LegacyResponse): unknown {
  switch (response.is) {
    case 'traces':
      return { data: response.found.rows.map(listedTraceView), meta: response.found.meta }
    case 'trace':
      return foundTraceView(response.found)
    case 'observations':
      return { data: response.found.rows.map(legacyObservationView), meta: response.found.meta }
    case 'observation':
      return response.found.rows.map(legacyObservationView)[0]
    case 'scores':
      return {
        data: response.found.rows.filter(isScore).map(row => listedScoreView(row, response.version)),
        meta: response.found.meta,
      }
    case 'score':
      return response.found.rows.map(row => legacyScoreView(row, response.version))[0]
    case 'session':
      return { ...response.found.session, traces: response.found.traces.map(traceView) }
  }
}
