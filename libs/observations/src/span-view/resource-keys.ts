// These resource attributes of OTLP have columns, in every dialect.
import { declareKeys } from './keys.ts'

declareKeys({ kept: ['service.name', 'service.version', 'telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'] })
