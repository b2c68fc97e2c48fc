// OTLP's own resource attributes that describe the sender and have separate columns, in every dialect.
import { declareKeys } from './keys.ts'

declareKeys({ kept: ['service.name', 'service.version', 'telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'] })
