// Converts traces and observations of the v3 tables to the wire form. Inputs and outputs can be large JSON, so a worker thread does this.
import { isoOfMillis } from '../times.ts'
import type { StoredObservation } from './observations.ts'
import { legacyScoreView } from './score-view.ts'
import { isoOrNull, metadataOf, orNull, parsed } from './stored-json.ts'
import type { FoundTrace, ListedTrace, StoredTrace } from './traces.ts'

export function traceView(row: StoredTrace) {
  return {
    id: row.id,
    externalId: null,
    timestamp: isoOfMillis(row.at_ms),
    name: orNull(row.name),
    userId: orNull(row.user_id),
    release: orNull(row.release),
    version: orNull(row.version),
    projectId: row.project_id,
    environment: row.environment,
    public: row.public,
    bookmarked: row.bookmarked,
    tags: row.tags,
    sessionId: orNull(row.session_id),
    createdAt: isoOfMillis(row.created_ms),
    updatedAt: isoOfMillis(row.updated_ms),
    ...(row.metadata !== undefined && {
      ...{ input: parsed(row.input), output: parsed(row.output), metadata: metadataOf(row.metadata) },
    }),
  }
}

const htmlPathOf = ({ id, project_id }: StoredTrace): string =>
  `/project/${encodeURIComponent(project_id)}/traces/${encodeURIComponent(id)}`

const secondsOf = (ms: number): number => (ms < 0 ? -1 : ms / 1000)

export function listedTraceView(row: ListedTrace) {
  const { observations, scores, totalCost, latencyMs } = row
  return { ...traceView(row), htmlPath: htmlPathOf(row), observations, scores, totalCost, latency: secondsOf(latencyMs) }
}

export function foundTraceView({ trace, observations, scores, totalCost, latencyMs }: FoundTrace) {
  return {
    ...{ ...traceView(trace), htmlPath: htmlPathOf(trace), totalCost, latency: secondsOf(latencyMs) },
    ...{ observations: observations.map(legacyObservationView), scores: scores.map(row => legacyScoreView(row, 'v1')) },
  }
}

function amountsOf(json: string): Readonly<Record<string, number>> {
  const given = parsed(json)
  if (typeof given !== 'object' || given === null) return {}
  return Object.fromEntries(Object.entries(given).map(([name, amount]) => [name, Number(amount)]))
}

/** Sums the entries whose names contain `part`. Returns null if there are none. */
function sumOf(amounts: Readonly<Record<string, number>>, part: 'input' | 'output'): number | null {
  const found = Object.entries(amounts).filter(([name]) => name.toLowerCase().includes(part))
  return found.length === 0 ? null : found.reduce((sum, [, amount]) => sum + amount, 0)
}

const priceOf = (text: string | null | undefined): number | null => (text === null || text === undefined ? null : Number(text))
const secondsOrNull = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

export function legacyObservationView(row: StoredObservation) {
  const [usage, cost] = [amountsOf(row.usage), amountsOf(row.cost)]
  const { prices } = row
  const tokens = { input: sumOf(usage, 'input') ?? 0, output: sumOf(usage, 'output') ?? 0, total: usage['total'] ?? 0 }
  return {
    id: row.id,
    projectId: row.project_id,
    traceId: orNull(row.trace_id),
    parentObservationId: orNull(row.parent_observation_id),
    name: orNull(row.name),
    type: row.type,
    environment: row.environment,
    startTime: isoOfMillis(row.start_ms),
    endTime: isoOrNull(row.end_ms),
    version: orNull(row.version),
    createdAt: isoOfMillis(row.created_ms),
    updatedAt: isoOfMillis(row.updated_ms),
    input: parsed(row.input),
    output: parsed(row.output),
    metadata: metadataOf(row.metadata),
    level: row.level,
    statusMessage: orNull(row.status_message),
    model: orNull(row.model),
    modelParameters: parsed(row.model_parameters) ?? {},
    completionStartTime: isoOrNull(row.completion_start_ms),
    promptId: orNull(row.prompt_id),
    promptName: orNull(row.prompt_name),
    promptVersion: row.prompt_version,
    usageDetails: usage,
    costDetails: cost,
    usage: { unit: 'TOKENS', ...tokens },
    unit: 'TOKENS',
    ...{ promptTokens: tokens.input, completionTokens: tokens.output, totalTokens: tokens.total },
    usagePricingTierName: orNull(row.tier_name),
    usagePricingTierId: orNull(row.tier_id),
    modelId: orNull(row.model_id),
    ...{ inputPrice: priceOf(prices?.inputPrice), outputPrice: priceOf(prices?.outputPrice), totalPrice: priceOf(prices?.totalPrice) },
    calculatedInputCost: sumOf(cost, 'input'),
    calculatedOutputCost: sumOf(cost, 'output'),
    calculatedTotalCost: cost['total'] ?? null,
    latency: secondsOrNull(row.latency_ms),
    timeToFirstToken: secondsOrNull(row.first_token_ms),
  }
}
