// Turns a client's score into the score to store (contract §14.3). The API checks the score against its configuration before it responds,
// so that no later stage drops the score.

import { isSet } from '@svc-server/api/fields/fields'
import { type ScoreInput, valueProblem } from '@svc-server/api/scores/score'
import type { ScoreConfig } from '@svc-server/relational/score-configs'
import type { ScoreEvent } from '@svc-server/schema/score-event'
import type { Acceptance } from '../events/acceptance.ts'

/** Why a score is refused. */
export interface ScoreProblem {
  readonly message: string
  readonly field: string
  readonly missing?: true
}

export interface ScoreFacts {
  readonly acceptance: Acceptance
  readonly id: string
  readonly timestampUs: number
  /** Normalizes environments. */
  readonly environmentOf: (raw: string) => string
  /** Undefined if the project has no configuration with the score's configId. */
  readonly config: ScoreConfig | undefined
  /** Null or absent if the request was made with a key. */
  readonly authorUserId?: string | null
}

type DataType = ScoreEvent['dataType']
const dataTypes: readonly string[] = ['NUMERIC', 'CATEGORICAL', 'BOOLEAN', 'CORRECTION', 'TEXT'] satisfies readonly DataType[]
const isDataType = (type: string): type is DataType => dataTypes.includes(type)

export type Resolved = { readonly ok: true; readonly event: ScoreEvent } | { readonly ok: false; readonly problem: ScoreProblem }

const problem = (field: string, message: string): Resolved => ({ ok: false, problem: { field, message } })
const orNull = (value: string | null | undefined): string | null => (isSet(value) ? value : null)

export function resolveScore(
  score: ScoreInput,
  { acceptance, id, timestampUs, environmentOf, config, authorUserId = null }: ScoreFacts,
): Resolved {
  if (isSet(score.configId) && config === undefined) {
    const message = `There is no score configuration ${score.configId} in this project.`
    return { ok: false, problem: { field: 'configId', message, missing: true } }
  }
  const conflict = config && configProblem(score, config)
  if (conflict !== undefined) return { ok: false, problem: conflict }
  const inferred = typeof score.value === 'number' ? 'NUMERIC' : 'CATEGORICAL'
  const dataType = config?.dataType ?? score.dataType ?? inferred
  if (!isDataType(dataType)) return problem('configId', `The configuration has the data type ${dataType}, which scores cannot have.`)
  const mismatch = valueProblem(dataType, score.value)
  if (mismatch !== undefined) return problem('value', mismatch)
  const stored = storedValue(dataType, score.value, config)
  if ('message' in stored) return { ok: false, problem: stored }
  const event: ScoreEvent = {
    ...acceptance,
    deleted: false,
    id,
    name: dataType === 'CORRECTION' ? 'output' : score.name,
    source: score.source ?? 'API',
    dataType,
    ...stored,
    timestampUs,
    traceId: orNull(score.traceId),
    observationId: orNull(score.observationId),
    sessionId: orNull(score.sessionId),
    datasetRunId: orNull(score.datasetRunId),
    environment: environmentOf(score.environment ?? ''),
    comment: score.comment ?? null,
    metadata: score.metadata,
    configId: orNull(score.configId),
    queueId: orNull(score.queueId),
    authorUserId,
    executionTraceId: orNull(score.executionTraceId),
  }
  return { ok: true, event }
}

function configProblem(score: ScoreInput, { id, name, dataType, isArchived }: ScoreConfig): ScoreProblem | undefined {
  if (isArchived) return { field: 'configId', message: `The score configuration ${id} is archived.` }
  if (score.name !== name)
    return { field: 'name', message: `The name differs from the name of the configuration, ${JSON.stringify(name)}.` }
  if (score.dataType && score.dataType !== dataType) {
    return { field: 'dataType', message: `The data type differs from the data type of the configuration, ${dataType}.` }
  }
  return undefined
}

type StoredValue = Pick<ScoreEvent, 'value' | 'stringValue' | 'longStringValue'>

const noText = { stringValue: null, longStringValue: '' }

function storedValue(dataType: DataType, value: number | string, config: ScoreConfig | undefined): StoredValue | ScoreProblem {
  if (typeof value === 'string') {
    if (dataType === 'CORRECTION') return { value: 0, stringValue: null, longStringValue: value }
    if (dataType === 'TEXT' || config === undefined) return { value: 0, stringValue: value, longStringValue: '' }
    const category = config.categories.find(({ label }) => label === value)
    if (category === undefined) return { field: 'value', message: 'The value is not a category of the configuration.' }
    return { value: category.value, stringValue: value, longStringValue: '' }
  }
  if (dataType === 'BOOLEAN') return { value, stringValue: value === 1 ? 'True' : 'False', longStringValue: '' }
  const { minValue, maxValue } = config ?? { minValue: null, maxValue: null }
  if (minValue !== null && value < minValue)
    return { field: 'value', message: `The value is below the minimum of the configuration, ${minValue}.` }
  if (maxValue !== null && value > maxValue)
    return { field: 'value', message: `The value is above the maximum of the configuration, ${maxValue}.` }
  return { value, ...noText }
}
