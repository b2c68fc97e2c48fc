// Live tail: new rows appear above the loaded rows, at most twenty a second. While `isPaused` is true, the list
// holds new rows back. If the server pushes no events, the page polls.
import type { TailEvent } from '@svc-server/api/web-rows/types'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call, follow } from '../api/client.ts'
import { noteFreshness } from '../api/freshness.ts'
import type { FilterCondition } from '../filter/condition.ts'
import { maxRows, type Row, rowKey } from './rows.ts'

const everyMs = 2_000
/** Twenty rows per second. */
const mostOfALook = 40
/**
 * The row of an observation can arrive minutes after the observation's start time. The list therefore reads all rows that started at most
 * this long before the live list began.
 */
const lookBackMs = 10 * 60_000

/** If no event arrives for this time, the page polls. Normally, the server sends one event per second. */
const silentMs = 10_000

function readEvent(text: string): TailEvent | undefined {
  try {
    return JSON.parse(text) as TailEvent
  } catch {
    return undefined
  }
}

const none: readonly Row[] = []

/** Returns the rows that are not among the known rows. */
function unknownOf<R extends Row>(rows: readonly R[], ...known: readonly (readonly Row[])[]): readonly R[] {
  if (rows.length === 0) return rows
  const keys = new Set(known.flat().map(rowKey))
  return rows.filter(row => !keys.has(rowKey(row)))
}

interface LiveOptions {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly isOn: boolean
  /** True while the list must add no new rows. Rows must not move while the user reads them. */
  readonly isPaused: boolean
}

export function useLive({ project, conditions, isOn, isPaused }: LiveOptions) {
  const filter = JSON.stringify(conditions)
  const sinceMs = useRef(0)
  const [arrived, setArrived] = useState<readonly Row[]>([])
  const [shown, setShown] = useState<readonly Row[]>([])
  const [isTooFast, setTooFast] = useState(false)
  const looks = useRef(0)
  const [isPolling, setPolling] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a different filter starts a new list
  useEffect(() => {
    sinceMs.current = Date.now() - lookBackMs
    setArrived([])
    setShown([])
    setTooFast(false)
    looks.current = 0
    setPolling(false)
  }, [isOn, filter, project])
  const { data } = useQuery({
    queryKey: ['live', project, filter],
    queryFn: ({ signal }) =>
      call('webRows.list', {
        project,
        query: { limit: mostOfALook, filter, fromStartTime: new Date(sinceMs.current).toISOString() },
        signal,
      }),
    enabled: isOn && isPolling,
    // A hidden page sends no polls.
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
  })
  const take = useCallback((rows: readonly Row[], isCut: boolean) => {
    // The first response also contains older rows, so `isCut` of the first response does not mean that new rows arrive too fast.
    if (looks.current++ > 0 && isCut) setTooFast(true)
    setArrived(before => {
      const fresh = unknownOf(rows, before)
      return fresh.length === 0 ? before : [...fresh, ...before].slice(0, maxRows)
    })
  }, [])
  useEffect(() => {
    if (!isOn || isPolling) return
    const fromStartTime = new Date(Date.now() - lookBackMs).toISOString()
    const events = follow({ project, query: { filter, fromStartTime } })
    const silence = () => setPolling(true)
    let timer = setTimeout(silence, silentMs)
    events.onmessage = ({ data: event }: MessageEvent<string>) => {
      clearTimeout(timer)
      timer = setTimeout(silence, silentMs)
      const read = readEvent(event)
      if (read === undefined) return setPolling(true)
      noteFreshness(read.completeUntil)
      take(read.rows, read.isCut)
    }
    events.onerror = () => events.readyState === EventSource.CLOSED && setPolling(true)
    return () => {
      clearTimeout(timer)
      events.close()
    }
  }, [isOn, isPolling, filter, project, take])
  const seen = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (!isOn || data === undefined) return
    const keys = data.data.map(rowKey)
    take(data.data, keys.length === mostOfALook && keys.every(key => !seen.current.has(key)))
    seen.current = new Set(keys)
  }, [data, isOn, take])
  useEffect(() => {
    if (!isPaused) setShown(arrived)
  }, [arrived, isPaused])
  return { rows: isOn ? shown : none, arrived: isOn ? arrived : none, isTooFast }
}

/**
 * Returns the number of arrived rows that the list does not show yet. The first event from the server contains older rows, which the list
 * has already loaded. These rows are not new.
 */
export const heldOf = (arrived: readonly Row[], shown: readonly Row[], read: readonly Row[]): number =>
  unknownOf(arrived, shown, read).length

/** Returns each row once, newest first. */
export function withLive<R extends Row>(live: readonly R[], read: readonly R[]): readonly R[] {
  if (live.length === 0) return read
  const all = [...live, ...unknownOf(read, live)]
  return all.toSorted((a, b) => (a.startTime < b.startTime ? 1 : a.startTime > b.startTime ? -1 : 0)).slice(0, maxRows)
}
