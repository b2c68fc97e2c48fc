// OpenTelemetry's general conventions, for every kind of service.
import '../../span-view/resource-keys.ts'
import type { Dialect } from '../../rules/dialect.ts'
import { resourceAttribute, spanAttribute } from '../../rules/rules.ts'
import { opentelemetryKeys } from './keys.ts'

const statusError = 2

export const openTelemetry: Dialect = {
  name: 'OpenTelemetry',
  keys: opentelemetryKeys,
  attributes: {
    environment: [
      [30, spanAttribute('deployment.environment.name')],
      [40, resourceAttribute('deployment.environment.name')],
      [50, spanAttribute('deployment.environment')],
      [60, resourceAttribute('deployment.environment')],
    ],
    version: [[20, resourceAttribute('service.version', 'set')]],
    user_id: [[20, spanAttribute('user.id')]],
    session_id: [[20, spanAttribute('session.id')]],
  },
  level: [[20, { name: 'status code', read: span => (span.statusCode === statusError ? 'ERROR' : undefined) }]],
}
