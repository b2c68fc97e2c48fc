// The keys `m` (Markdown) and `r` (raw text).
import { useQuery } from '@tanstack/react-query'
import { useKeys } from '../../keys/keys.ts'
import { traceText } from '../../text/trace.ts'
import { observationQuery, type TraceRef } from '../load.ts'
import { toggleLook } from './looks.ts'

export function ContentKeys({ traceRef, observationId }: { readonly traceRef: TraceRef; readonly observationId: string }) {
  const { data } = useQuery({ ...observationQuery(traceRef, observationId), enabled: false })
  const name = data?.name ?? data?.type.toLowerCase() ?? ''
  useKeys([
    { key: 'm', says: traceText.keys.markdownOfField, run: () => toggleLook(name, 'markdown') },
    { key: 'r', says: traceText.keys.raw, run: () => toggleLook(name, 'raw') },
  ])
  return null
}
