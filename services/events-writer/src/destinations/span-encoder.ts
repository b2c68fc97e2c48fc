import type { ChunkEncoder } from '@svc-server/observations/block/chunk-encoder'
import type { EncodedRows, RowEncoder, RowPlace } from './row-encoder.ts'

type SpanPlace = ReturnType<ChunkEncoder['places']>[number]

/** `keyOf` returns the values of the key columns. `versionUsOf` returns the row's version in microseconds, in the table's precision. */
export function createSpanRowEncoder(
  encoder: ChunkEncoder,
  keyOf: (place: SpanPlace) => RowPlace['key'],
  versionUsOf: (place: SpanPlace) => number = ({ eventTsUs }) => eventTsUs,
): RowEncoder {
  return {
    encode(records, only, denials): EncodedRows {
      const { losses, enrichment, repairedTexts, ...encoded } = encoder.encode(records, only, denials)
      const items = encoded.spans - encoded.rejected.filter(({ index }) => index !== null).length
      const { unknownModel, totalMismatch, costClamped, tokenized, tokenizationSkipped } = enrichment
      const outcomes = {
        ...losses,
        unknown_model: unknownModel,
        usage_total_mismatch: totalMismatch,
        computed_cost_clamped: costClamped,
        tokenized,
        tokenization_skipped: tokenizationSkipped,
        repaired_text: repairedTexts,
      }
      return { ...encoded, items, outcomes }
    },
    places: (records, denials) =>
      encoder.places(records, denials).map(place => {
        const { offset, index } = place
        return { key: keyOf(place), versionUs: versionUsOf(place), offset, index }
      }),
    raws: encoder.raws,
    useCatalog: encoder.useCatalog,
  }
}
