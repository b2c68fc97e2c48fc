// Converts an event of the legacy API to the state of its entity, with only the values that the event sets (contract §§14.2, 14.4).
import { hash } from 'node:crypto'
import type { EnvironmentNames } from '@svc-server/observations/environment-name'
import { isJsonObject, type JsonObject, parseJson } from '@svc-server/observations/json-text'
import { type ObservationType, observationTypes } from '@svc-server/observations/observation-type'
import type { IngestionEvent } from '@svc-server/schema/ingestion-event'
import type { EntityState } from './state.ts'
import { objectOf, Statement, textOf } from './statement.ts'
import { UnreadableEvent } from './unreadable-event.ts'
import { costOf, usageOf } from './usage.ts'

export type LegacyEvent = Pick<
  IngestionEvent,
  'apiKey' | 'sdkName' | 'sdkVersion' | 'receivedAtMs' | 'entityType' | 'eventType' | 'eventId' | 'timestampUs' | 'body'
>

const types: ReadonlySet<string> = new Set(observationTypes)
const isUpdate = (eventType: string): boolean => eventType.endsWith('-update')

/** Throws UnreadableEvent. */
export function stateOfEvent(event: LegacyEvent, environments: EnvironmentNames): EntityState {
  const body = parseJson(Buffer.from(event.body.buffer, event.body.byteOffset, event.body.byteLength).toString('utf8'))
  if (!isJsonObject(body)) throw new UnreadableEvent('The body of the event is not a JSON object.')
  const { eventType, eventId, timestampUs, receivedAtMs } = event
  const said = new Statement({
    atUs: timestampUs,
    update: isUpdate(eventType),
    id: eventId,
    hash: hash('sha256', event.body, 'hex').slice(0, 16),
  })
  try {
    sayEnvelope(said, event)
    sayShared(said, body, environments)
    if (event.entityType === 'trace') sayTrace(said, body)
    else sayObservation(said, body, eventType)
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableEvent('A value is nested too deeply.')
    throw error
  }
  return said.state({ createdMs: receivedAtMs, legacy: true })
}

function sayEnvelope(said: Statement, { apiKey, sdkName, sdkVersion }: LegacyEvent): void {
  said.say('apiKey', apiKey)
  said.say('sdkName', sdkName)
  said.say('sdkVersion', sdkVersion)
}

function sayShared(said: Statement, body: JsonObject, environments: EnvironmentNames): void {
  const { environment } = body
  if (typeof environment === 'string') said.set('environment', environments.normalized(environment))
  said.text('name', body['name'])
  said.text('version', body['version'])
  said.content('input', body['input'])
  said.content('output', body['output'])
  said.metadata(body['metadata'])
}

function sayTrace(said: Statement, body: JsonObject): void {
  said.time('timestampMs', body['timestamp'] ?? undefined)
  said.text('userId', body['userId'])
  said.text('sessionId', body['sessionId'])
  said.text('release', body['release'])
  const isPublic = body['public']
  if (isPublic === null || typeof isPublic === 'boolean') said.say('public', isPublic === null ? null : String(isPublic))
  said.tags(body['tags'])
}

function sayObservation(said: Statement, body: JsonObject, eventType: string): void {
  said.say('type', typeOf(eventType, body['type']))
  said.set('traceId', typeof body['traceId'] === 'string' && body['traceId'] !== '' ? body['traceId'] : undefined)
  said.time('startMs', body['startTime'] ?? undefined)
  said.time('endMs', body['endTime'])
  said.time('completionStartMs', body['completionStartTime'])
  said.text('level', body['level'])
  said.text('statusMessage', body['statusMessage'])
  said.text('parentId', body['parentObservationId'])
  said.text('model', body['model'])
  const parameters = body['modelParameters']
  said.say('modelParameters', parameters === null ? null : objectOf(parameters) && textOf(parameters))
  said.say('usage', usageOf(body))
  said.say('cost', costOf(body))
  sayPrompt(said, body)
}

/** Name and version are set together, because they could otherwise come from different prompts. */
function sayPrompt(said: Statement, { promptName: name, promptVersion: version }: JsonObject): void {
  if (typeof name === 'string' && typeof version === 'number') said.say('prompt', JSON.stringify([name, version]))
  else if (name === null && version === null) said.say('prompt', null)
}

/**
 * Events of the types `observation-create` and `observation-update` name the observation type in the body. For all other events of
 * observations, the event type contains the observation type, as in `span-create`.
 */
function typeOf(eventType: string, given: unknown): ObservationType | undefined {
  const kind = eventType.slice(0, eventType.lastIndexOf('-')).toUpperCase()
  const word = kind === 'OBSERVATION' ? given : kind
  return typeof word === 'string' && types.has(word) ? (word as ObservationType) : undefined
}
