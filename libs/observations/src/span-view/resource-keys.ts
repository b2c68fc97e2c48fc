// What OTLP itself says about who sends spans: attributes of the resource that have columns of their own,
// whatever the dialect.
import { declareKeys } from './keys.ts'

declareKeys({ kept: ['service.name', 'service.version', 'telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'] })
