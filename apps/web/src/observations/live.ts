// Live tail: new rows appear above those that were read, at most twenty a second, and wait while somebody reads. The server sends them; where it does not,
// because too many watch or a proxy holds events back, the page asks for them.
import type { TailEvent } from '@svc-server/api/web-rows/types'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call, follow } from '../api/client.ts'
import { noteFreshness } from '../api/freshness.ts'
import type { FilterCondition } from '../filter/condition.ts'
import { maxRows, type Row, rowKey } from './rows.ts'

const everyMs = 2_000
/** Of one look: twenty a second. Where more come, the page says that some are not shown. */
const mostOfALook = 40
/** Rows start before they arrive: a look goes back that far. */
const lookBackMs = 10 * 60_000

/** An event comes every second: after as long without one, none comes. */
const silentMs = 10_000

function readEvent(text: string): TailEvent | undefined {
  try {
    return JSON.parse(text) as TailEvent
  } catch {
    return undefined
  }
}

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
  const [isPolling, setPolling] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another tail
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
    // A hidden page does not look: the interval rests with it.
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
  })
  const take = useCallback((rows: readonly Row[], isCut: boolean) => {
    // What was there before the first look is no stream.
    if (looks.current++ > 0 && isCut) setTooFast(true)
    setArrived(before => {
      const known = new Set(before.map(rowKey))
      const fresh = rows.filter(row => !known.has(rowKey(row)))
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
  return { rows: isOn ? shown : [], held: isOn ? arrived.length - shown.length : 0, isTooFast }
}

/** Live rows above those that were read, each once, newest first. */
export function withLive<R extends Row>(live: readonly R[], read: readonly R[]): readonly R[] {
  if (live.length === 0) return read
  const known = new Set(live.map(rowKey))
  const all = [...live, ...read.filter(row => !known.has(rowKey(row)))]
  return all.toSorted((a, b) => (a.startTime < b.startTime ? 1 : a.startTime > b.startTime ? -1 : 0)).slice(0, maxRows)
}
