// The columns of the old tables, in the order in which the block of an insert contains them.
import type { Column } from '../events/columns.ts'
import { datasetRunItems } from './dataset-run-items.ts'
import { observations } from './observations.ts'
import { scores } from './scores.ts'
import type { OldTable } from './table.ts'
import { traces } from './traces.ts'

const columnsOf = ({ columns }: OldTable): readonly Column[] => columns.map(({ name, type }) => ({ name, type }))

/** Times are in milliseconds. */
export const tracesColumns: readonly Column[] = columnsOf(traces)

export const observationsColumns: readonly Column[] = columnsOf(observations)

export const scoresColumns: readonly Column[] = columnsOf(scores)

export const datasetRunItemsColumns: readonly Column[] = columnsOf(datasetRunItems)
