// Dataset items as JSON text: what the store has as JSON text goes out unchanged, with all of its digits.
import type { DatasetItem } from '@svc-server/relational/dataset-items'

export function itemText({ input, expectedOutput, metadata, validFrom, ...item }: DatasetItem): string {
  const { id, status, sourceTraceId, sourceObservationId, datasetId, datasetName } = item
  const head = JSON.stringify({ id, status, sourceTraceId, sourceObservationId, datasetId, datasetName })
  const tail = JSON.stringify({ createdAt: item.createdAt, updatedAt: item.updatedAt, version: validFrom, mediaReferences: [] })
  const contents = `"input":${input},"expectedOutput":${expectedOutput},"metadata":${metadata}`
  return `${head.slice(0, -1)},${contents},${tail.slice(1)}`
}

export const itemsText = (items: readonly DatasetItem[]): string => `[${items.map(itemText).join(',')}]`
