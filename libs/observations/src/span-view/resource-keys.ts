// The resource attributes of OTLP itself that describe the sender and have separate columns; they apply to every dialect.
import { declareKeys } from './keys.ts'

declareKeys({ kept: ['service.name', 'service.version', 'telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'] })
