// The migration from v3: clients that send data which the next mode rejects.

import { newestTooOld } from '../../../libs/modes/src/sdk.ts'
import type { DashboardSpec } from '../panel.ts'
import { one, rate } from '../queries.ts'

const tooOld = Object.entries(newestTooOld)
  .map(([sdk, major]) => rate('svc_sdk_requests_total', 'sdk, version', `sdk="${sdk}",version=~"[0-${major}]"`))
  .join(' or ')

export const whoHasToMove: DashboardSpec = {
  slug: 'who-has-to-move',
  title: 'svc / Who still has to move?',
  panels: [
    {
      question: 'Which SDKs send, in which major version?',
      unit: 'reqps',
      queries: one(rate('svc_sdk_requests_total', 'sdk, version'), '{{sdk}} {{version}}'),
      says: 'none: no SDK is named, as by plain OpenTelemetry. Projects and whole versions: svc sdks.',
    },
    {
      question: 'Which way does what they send take?',
      unit: 'reqps',
      queries: one(rate('svc_sdk_requests_total', 'sdk, path'), '{{sdk}}: {{path}}'),
      says: 'ingestion is the legacy API: events_only takes nothing but scores there.',
    },
    {
      question: 'Which SDKs are too old for events_only?',
      unit: 'reqps',
      queries: one(tooOld, '{{sdk}} {{version}}'),
      says: 'The list must stay empty before the switch for as long as the least frequent sender pauses.',
    },
    {
      question: 'Whose spans wait for their window?',
      unit: 'reqps',
      queries: one(rate('svc_sdk_requests_total', 'sdk, version', 'path="staged"'), '{{sdk}} {{version}}'),
      says: 'Every write mode accepts them, but they become readable minutes later than with a newer SDK or with x-svc-ingestion-version: 4.',
    },
    {
      question: 'By which rule do requests take their way?',
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
      question: 'What is left of the mode before?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_writer_other_mode_records_total', 'mode'), legend: 'writers {{mode}}' },
        { expr: rate('svc_propagator_other_mode_records_total', 'mode'), legend: 'propagators {{mode}}' },
      ],
    },
  ],
}
