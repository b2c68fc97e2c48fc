// Encodes span records as a Native block of the v3 table `observations`. The values follow the same rules as in the events tables. The
// columns have v3's names, types, and units (contract §§10.14, 11.6).
import type { BlockBuilder } from '@svc-server/column-store/native'
import { observationsColumns } from '@svc-server/schema/old-tables/columns'
import type { CatalogLookup } from '../columns/catalog-lookup.ts'
import type { ColumnWriter } from '../columns/column-writer.ts'
import { completionStartColumn } from '../columns/completion-start.ts'
import { environmentColumns } from '../columns/environment.ts'
import { inputOutputColumns, readInputOutput } from '../columns/input-output.ts'
import { levelColumns } from '../columns/level.ts'
import { keepUntaken } from '../columns/metadata/untaken.ts'
import { UserMetadata } from '../columns/metadata/user-metadata.ts'
import { modelColumns } from '../columns/model.ts'
import { nameColumn } from '../columns/name.ts'
import { observationIdentity } from '../columns/old/identity.ts'
import { observationMetadata } from '../columns/old/metadata.ts'
import { asOldColumns } from '../columns/old/old-columns.ts'
import { promptColumns } from '../columns/prompt.ts'
import { toolColumns } from '../columns/tools.ts'
import { readType, typeColumn } from '../columns/type.ts'
import { usageColumns } from '../columns/usage.ts'
import type { KeyTable } from '../span-view/key-table.ts'
import { type ChunkEncoder, type ChunkEncoderOptions, createSpanEncoder } from './chunk-encoder.ts'
import type { Mapper } from './mapper.ts'

/** The v3 table is sorted by type, so `places` includes the type of each observation. */
export const createObservationEncoder = (options: ChunkEncoderOptions = {}): ChunkEncoder =>
  createSpanEncoder(options, { columns: observationsColumns, tickUs: 1000, createMapper: createObservationMapper, prepare: readType })

function createObservationMapper(block: BlockBuilder, table: KeyTable, lookup: CatalogLookup): Mapper {
  const old = asOldColumns(block)
  const user = new UserMetadata()
  const usage = usageColumns(old, lookup, user)
  // Some writers use the results of earlier writers. The order must therefore be the same as in the mapper of the events tables.
  const writers: readonly ColumnWriter[] = [
    observationIdentity(block),
    typeColumn(block),
    readInputOutput,
    (_row, span) => user.collect(span),
    toolColumns(block, user),
    inputOutputColumns(old),
    nameColumn(block),
    levelColumns(old),
    environmentColumns(old, table.brand),
    modelColumns(old),
    promptColumns(old, lookup),
    completionStartColumn(old),
    usage.write,
    keepUntaken,
    observationMetadata(block, user),
  ]
  return {
    startBlock: usage.startBlock,
    write(row, span) {
      for (const write of writers) write(row, span)
    },
  }
}
