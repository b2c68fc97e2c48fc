// Saves rows as a file.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, download } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import type { TimeRange } from '../search/range.ts'
import { observationsText as text } from '../text/observations.ts'
import { bytes } from '../text/units.ts'
import type { Marked } from './marks.ts'
import css from './table.module.css'

const formats = [
  { name: 'CSV', accept: 'text/csv', ending: 'csv' },
  { name: 'JSONL', accept: 'application/x-ndjson', ending: 'jsonl' },
  { name: 'Parquet', accept: 'application/vnd.apache.parquet', ending: 'parquet' },
] as const
const fields = 'core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context'

export interface ExportProps {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly range: TimeRange
  /** An empty list stands for all rows that match the filter. */
  readonly marked: readonly Marked[]
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}

export function ExportPanel({ project, conditions, range, marked }: ExportProps) {
  const [isMarkedAlone, setMarkedAlone] = useState(true)
  const ofMarked = marked.length > 0 && isMarkedAlone
  const ids = (column: 'id' | 'traceId'): FilterCondition => ({
    ...{ type: 'stringOptions', column, operator: 'any of' },
    value: [...new Set(marked.map(row => row[column]))],
  })
  const exported = useMutation<number, ApiError, (typeof formats)[number]>({
    async mutationFn({ accept, ending }) {
      const filter = JSON.stringify(ofMarked ? [ids('traceId'), ids('id')] : conditions)
      const times = { fromStartTime: new Date(range.fromMs).toISOString(), toStartTime: new Date(range.toMs).toISOString() }
      const file = await download({ project, query: { fields, expandMetadata: 'all', filter, ...(!ofMarked && times) } }, accept)
      save(file, `observations.${ending}`)
      return file.size
    },
  })
  return (
    <div className={css['panel']}>
      {marked.length > 0 && (
        <label className={css['choice']}>
          <input type="checkbox" checked={isMarkedAlone} onChange={event => setMarkedAlone(event.target.checked)} />
          {text.exportMarked}
        </label>
      )}
      <p>{ofMarked ? text.exportOfMarked(String(marked.length)) : text.exportHelp}</p>
      <p className={css['choice']}>
        {formats.map(format => (
          <Button key={format.name} disabled={exported.isPending} onClick={() => exported.mutate(format)}>
            {format.name}
          </Button>
        ))}
      </p>
      <p role="status">
        {exported.isPending
          ? text.exporting
          : (exported.error?.message ?? (exported.data === undefined ? '' : text.exported(bytes(exported.data))))}
      </p>
    </div>
  )
}
