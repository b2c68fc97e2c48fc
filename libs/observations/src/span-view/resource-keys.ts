// OTLP's own resource attributes that have columns. They are the same for every dialect.
import { declareKeys } from './keys.ts'

declareKeys({ kept: ['service.name', 'service.version', 'telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'] })
