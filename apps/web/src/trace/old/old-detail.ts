// Converts an observation of v3 to the form of the detail panel.
import { call, type ResultOf } from '../../api/client.ts'
import { oldText } from '../../text/old.ts'

type Detail = ResultOf<'webTraces.getObservation'>

interface OfTrace {
  readonly project: string
  readonly trace: string
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const us = (time: string): string => String(Date.parse(time) * 1_000)

function leavesOf(metadata: unknown): Detail['metadata'] {
  const given = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : []
  return given.map(([name, value]) => {
    const text = textOf(value)
    return { name, text, type: value === null ? 4 : 0, length: text.length }
  })
}

export async function readOldObservation({ project, trace }: OfTrace, observationId: string, signal: AbortSignal): Promise<Detail> {
  const old = await call('legacy.getObservation', { project, params: { observationId }, signal })
  const [input, output, metadata] = [textOf(old.input), textOf(old.output), leavesOf(old.metadata)]
  const { id, parentObservationId, name, type, level, statusMessage, environment, startTime, endTime, completionStartTime } = old
  const { createdAt, version, promptId, promptName, promptVersion, model, modelId, modelParameters, usageDetails, costDetails } = old
  return {
    ...{ id, parentObservationId, name, type, level, statusMessage, environment, startTime, endTime, completionStartTime },
    ...{ createdAt, version, promptId, promptName, promptVersion, model, modelId, modelParameters, usageDetails, costDetails },
    ...{ traceId: old.traceId ?? trace, startUs: us(startTime), endUs: endTime === null ? null : us(endTime), rowVersion: old.updatedAt },
    ...{ release: null, userId: null, sessionId: null, tags: [] },
    ...{ providedUsageDetails: {}, providedCostDetails: {}, usagePricingTierName: old.usagePricingTierName },
    ...{ toolDefinitions: [], toolCalls: [], toolCallNames: [] },
    ...{ metadata, metadataCount: metadata.length, leafCharacters: Number.MAX_SAFE_INTEGER },
    ...{ input, inputLength: input.length, output, outputLength: output.length, firstCharacters: Number.MAX_SAFE_INTEGER },
    ...{ experimentId: null, experimentName: null, experimentItemId: null, experimentDatasetId: null, expectedOutput: null },
    ...{ source: oldText.source, serviceName: null, serviceVersion: null, scopeName: null, scopeVersion: null },
    ...{ telemetryLanguage: null, telemetryName: null, apiKey: null, sdkName: null, sdkVersion: null },
    ...{ eventBytes: input.length + output.length, blobStorageFilePath: null },
  }
}
