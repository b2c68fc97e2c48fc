// Converts an observation's attributes to span attributes. This code runs for each update, so it creates only attributes that are set.
import type { Attributes, Span } from '@opentelemetry/api'
import { dropMetadataOverSpanAttributeLimit, SvcOtelSpanAttributes as keys, serializeMetadataValue, serializeValue } from '@svc/core'
import type { SvcObservationAttributes, SvcObservationType } from './types.ts'

function setText(target: Attributes, key: string, text: string | undefined | null): void {
  if (text !== undefined && text !== null) target[key] = text
}

/** A value with `toJSON`, such as a date, is a single value. */
const hasKeys = (metadata: unknown): metadata is Readonly<Record<string, unknown>> =>
  typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) && !('toJSON' in metadata)

function setMetadata(target: Attributes, metadata: unknown): void {
  if (!hasKeys(metadata)) {
    setText(target, keys.OBSERVATION_METADATA, serializeMetadataValue(metadata))
    return
  }
  for (const key of Object.keys(metadata)) setText(target, `${keys.OBSERVATION_METADATA}.${key}`, serializeMetadataValue(metadata[key]))
}

function setGeneration(target: Attributes, given: SvcObservationAttributes): void {
  setText(target, keys.OBSERVATION_MODEL, given.model)
  setText(target, keys.OBSERVATION_USAGE_DETAILS, serializeValue(given.usageDetails))
  setText(target, keys.OBSERVATION_COST_DETAILS, serializeValue(given.costDetails))
  setText(target, keys.OBSERVATION_COMPLETION_START_TIME, serializeValue(given.completionStartTime))
  setText(target, keys.OBSERVATION_MODEL_PARAMETERS, serializeValue(given.modelParameters))
  const { prompt } = given
  if (prompt && !prompt.isFallback) {
    setText(target, keys.OBSERVATION_PROMPT_NAME, prompt.name)
    if (prompt.version !== undefined && prompt.version !== null) target[keys.OBSERVATION_PROMPT_VERSION] = prompt.version
  }
}

/** If `type` is undefined, the span keeps its current type. */
export function createObservationAttributes(type: SvcObservationType | undefined, attributes: SvcObservationAttributes): Attributes {
  const target: Attributes = {}
  setText(target, keys.OBSERVATION_TYPE, type)
  setText(target, keys.OBSERVATION_LEVEL, attributes.level)
  setText(target, keys.OBSERVATION_STATUS_MESSAGE, attributes.statusMessage)
  setText(target, keys.VERSION, attributes.version)
  setText(target, keys.ENVIRONMENT, attributes.environment)
  setText(target, keys.OBSERVATION_INPUT, serializeValue(attributes.input))
  setText(target, keys.OBSERVATION_OUTPUT, serializeValue(attributes.output))
  setGeneration(target, attributes)
  setMetadata(target, attributes.metadata)
  return target
}

/** Keys of attributes for which the span must keep room. Metadata gets only the room that these keys leave within the span's limit. */
function reservedKeys(type: SvcObservationType | undefined): readonly string[] {
  const ofAll = [
    keys.OBSERVATION_TYPE,
    keys.OBSERVATION_LEVEL,
    keys.OBSERVATION_STATUS_MESSAGE,
    keys.VERSION,
    keys.ENVIRONMENT,
    keys.OBSERVATION_INPUT,
    keys.OBSERVATION_OUTPUT,
  ]
  if (type !== undefined && type !== 'generation' && type !== 'embedding') return ofAll
  return [
    ...ofAll,
    keys.OBSERVATION_MODEL,
    keys.OBSERVATION_USAGE_DETAILS,
    keys.OBSERVATION_COST_DETAILS,
    keys.OBSERVATION_COMPLETION_START_TIME,
    keys.OBSERVATION_MODEL_PARAMETERS,
    keys.OBSERVATION_PROMPT_NAME,
    keys.OBSERVATION_PROMPT_VERSION,
  ]
}

/** Sets an observation's attributes on its span. If the span would exceed its attribute limit, the last metadata keys are dropped. */
export function writeAttributes(span: Span, type: SvcObservationType | undefined, attributes: SvcObservationAttributes): void {
  // Encoding large inputs is slow, so nothing is encoded for a span that is not recorded.
  if (!span.isRecording()) return
  const target = createObservationAttributes(type, attributes)
  const isSafe = attributes.metadata === undefined || attributes.metadata === null
  span.setAttributes(isSafe ? target : dropMetadataOverSpanAttributeLimit(span, target, reservedKeys(type)))
}
