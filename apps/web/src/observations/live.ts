// Live tail: new rows appear above those that were read, at most twenty a second, and wait while somebody reads.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import type { FilterCondition } from '../filter/condition.ts'
import { maxRows, type Row, rowKey } from './rows.ts'

const everyMs = 2_000
/** Of one look: twenty a second. Where more come, the page says that some are not shown. */
const mostOfALook = 40
/** Rows start before they arrive: a look goes back that far. */
const lookBackMs = 10 * 60_000

interface LiveOptions {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly isOn: boolean
  /** Scrolled or hovered: nothing may move under the pointer. */
  readonly isPaused: boolean
}

export function useLive({ project, conditions, isOn, isPaused }: LiveOptions) {
  const filter = JSON.stringify(conditions)
  const sinceMs = useRef(0)
  const [arrived, setArrived] = useState<readonly Row[]>([])
  const [shown, setShown] = useState<readonly Row[]>([])
  const [isTooFast, setTooFast] = useState(false)
  const looks = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another tail
  useEffect(() => {
    sinceMs.current = Date.now() - lookBackMs
    setArrived([])
    setShown([])
    setTooFast(false)
    looks.current = 0
  }, [isOn, filter, project])
  const { data } = useQuery({
    queryKey: ['live', project, filter],
    queryFn: ({ signal }) =>
      call('webRows.list', {
        project,
        query: { limit: mostOfALook, filter, fromStartTime: new Date(sinceMs.current).toISOString() },
        signal,
      }),
    enabled: isOn,
    // A hidden page does not look: the interval rests with it.
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
  })
  useEffect(() => {
    if (!isOn || data === undefined) return
    const isFirst = looks.current++ === 0
    setArrived(before => {
      const known = new Set(before.map(rowKey))
      const fresh = data.data.filter(row => !known.has(rowKey(row)))
      // What was there before the first look is no stream.
      if (!isFirst && fresh.length === mostOfALook) setTooFast(true)
      return fresh.length === 0 ? before : [...fresh, ...before].slice(0, maxRows)
    })
  }, [data, isOn])
  useEffect(() => {
    if (!isPaused) setShown(arrived)
  }, [arrived, isPaused])
  return { rows: isOn ? shown : [], held: isOn ? arrived.length - shown.length : 0, isTooFast }
}

/** Live rows above those that were read, each once, newest first. */
export function withLive(live: readonly Row[], read: readonly Row[]): readonly Row[] {
  if (live.length === 0) return read
  const known = new Set(live.map(rowKey))
  const all = [...live, ...read.filter(row => !known.has(rowKey(row)))]
  return all.toSorted((a, b) => (a.startTime < b.startTime ? 1 : a.startTime > b.startTime ? -1 : 0)).slice(0, maxRows)
}
