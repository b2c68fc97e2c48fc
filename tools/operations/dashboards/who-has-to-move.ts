// The dashboard for the migration from v3. It shows the clients whose data will be rejected in the next write mode.

import { newestTooOld } from '../../../libs/modes/src/sdk.ts'
import type { DashboardSpec } from '../panel.ts'
import { one, rate } from '../queries.ts'

const tooOld = Object.entries(newestTooOld)
  .map(([sdk, major]) => rate('svc_sdk_requests_total', 'sdk, version', `sdk="${sdk}",version=~"[0-${major}]"`))
  .join(' or ')

export const whoHasToMove: DashboardSpec = {
  slug: 'who-has-to-move',
  title: 'svc / Which SDKs must still be upgraded?',
  panels: [
    {
      question: 'Which SDKs send data, in which major version?',
      unit: 'reqps',
      queries: one(rate('svc_sdk_requests_total', 'sdk, version'), '{{sdk}} {{version}}'),
      says: '“none” means that the request names no SDK, as with plain OpenTelemetry. The command svc sdks shows the complete version of each SDK, and the number of projects that use this version.',
    },
    {
      question: 'Which path does the data of each SDK take?',
      unit: 'reqps',
      queries: one(rate('svc_sdk_requests_total', 'sdk, path'), '{{sdk}}: {{path}}'),
      says: 'The path “ingestion” is the legacy API. In write mode events_only, this API accepts scores and nothing else.',
    },
    {
      question: 'Which SDKs are too old for events_only?',
      unit: 'reqps',
      queries: one(tooOld, '{{sdk}} {{version}}'),
      says: 'Before a switch to events_only, the list of this panel must stay empty for longer than the longest pause of any client.',
    },
    {
      question: 'Which SDKs send spans that wait for their window?',
      unit: 'reqps',
      queries: one(rate('svc_sdk_requests_total', 'sdk, version', 'path="staged"'), '{{sdk}} {{version}}'),
      says: 'Spans of these SDKs become readable minutes later than spans of newer SDKs or of requests with x-svc-ingestion-version: 4.',
    },
    {
      question: 'Which rule decided whether spans are direct or staged?',
      unit: 'reqps',
      queries: one(rate('svc_gateway_routed_requests_total', 'route, reason'), '{{route}}: {{reason}}'),
    },
    {
      question: 'Which routes of the public API are used?',
      unit: 'reqps',
      queries: one(rate('svc_api_requests_total', 'route'), '{{route}}'),
    },
    {
      question: 'How many legacy events are merged?',
      unit: 'cps',
      queries: one(rate('svc_merger_events_total', 'outcome'), '{{outcome}}'),
    },
    {
      question: 'How many records of the previous write mode are still processed?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_writer_other_mode_records_total', 'mode'), legend: 'writers {{mode}}' },
        { expr: rate('svc_propagator_other_mode_records_total', 'mode'), legend: 'propagators {{mode}}' },
      ],
    },
  ],
}
