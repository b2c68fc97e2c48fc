// The view of a loaded trace. The list of observations works outside React, and reports the selected observation to this view.
import { useQueryClient } from '@tanstack/react-query'
import { memo, startTransition, useEffect, useRef, useState } from 'react'
import { useKeys } from '../keys/keys.ts'
import { traceText } from '../text/trace.ts'
import { ContentKeys } from './content/content-keys.tsx'
import { ObservationDetail } from './detail/detail.tsx'
import { traceAsJson, traceAsMarkdown } from './export.ts'
import { TraceHeader } from './header.tsx'
import type { ListHandle } from './list/list-pane.tsx'
import { ListPane } from './list/list-pane.tsx'
import { observationQuery, prefetchObservation, setFlags, type TraceRef } from './load.ts'
import { rowOf, type TraceModel } from './model/model.ts'
import { textAt } from './model/packed.ts'
import { neighborOf } from './neighbors.ts'
import css from './trace.module.css'

interface TraceViewProps {
  readonly traceRef: TraceRef
  readonly model: TraceModel
  readonly observation: string | undefined
  /** Ids of rows that the user opened to load their children. */
  readonly opened: readonly string[]
  readonly isLoading: boolean
  readonly onObservation: (id: string) => void
  readonly onHidden: (id: string) => void
  readonly onTrace: (id: string) => void
}

type Shown = Pick<TraceViewProps, 'traceRef' | 'model'>

/** The panel with details shows the selected row after this pause, so that a user who holds down a key can move fast. */
const detailAfterMs = 90
const addressAfterMs = 300

function linkTo(observation: string): string {
  const url = new URL(location.href)
  url.searchParams.set('o', observation)
  return url.href
}

function firstRow(model: TraceModel, observation: string | undefined): number {
  const asked = observation === undefined ? -1 : rowOf(model, textAt, observation)
  if (asked >= 0) return asked
  return model.failed[0] ?? model.preorder.find(row => row !== model.orphanage) ?? 0
}

/** The header and the list keep their first callbacks, so that selecting a row does not render them again. */
const isSame = (before: Shown, after: Shown) => before.model === after.model && before.traceRef === after.traceRef
const Header = memo(TraceHeader, isSame)
const List = memo(ListPane, isSame)

export function TraceView({ traceRef, model, observation, opened, isLoading, onObservation, onHidden, onTrace }: TraceViewProps) {
  const [initial] = useState(() => firstRow(model, observation))
  const [openedRows] = useState(() => opened.map(id => rowOf(model, textAt, id)).filter(row => row >= 0))
  const [open, setOpen] = useState(() => textAt(model.ids, initial))
  const list = useRef<ListHandle>(null)
  const detail = useRef<HTMLDivElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const queries = useQueryClient()
  useEffect(() => () => clearTimeout(timer.current), [])
  const written = useRef(observation)
  const openNow = useRef(open)

  useEffect(() => {
    // If the URL contains an observation that the list has not put there, the user followed a link or went back.
    if (observation === undefined || observation === written.current) return
    written.current = observation
    const row = rowOf(model, textAt, observation)
    if (row >= 0) list.current?.goTo(row)
  }, [observation, model])

  function onSelect(row: number): void {
    clearTimeout(timer.current)
    if (row === model.orphanage) return
    const id = textAt(model.ids, row)
    timer.current = setTimeout(() => {
      openNow.current = id
      startTransition(() => setOpen(id))
      if (detail.current !== null) detail.current.scrollTop = 0
      timer.current = setTimeout(() => {
        written.current = id
        onObservation(id)
      }, addressAfterMs)
      for (const place of [model.places[row]! + 1, model.places[row]! - 1]) {
        const next = model.preorder[place]
        if (next !== undefined && next !== model.orphanage) prefetchObservation(queries, traceRef, textAt(model.ids, next))
      }
    }, detailAfterMs)
  }

  const read = (id: string) => queries.ensureQueryData(observationQuery(traceRef, id))
  async function copy(what: 'link' | 'markdown' | 'json'): Promise<void> {
    const text =
      what === 'link'
        ? linkTo(openNow.current)
        : what === 'json'
          ? await traceAsJson(traceRef, model, read)
          : await traceAsMarkdown(traceRef, model, read)
    await navigator.clipboard.writeText(text)
  }
  const toNeighbor = (by: 1 | -1) => {
    const next = neighborOf(traceRef.project, traceRef.trace, by)
    if (next !== undefined) onTrace(next)
  }
  useKeys([
    { key: 'y', says: traceText.keys.link, run: () => void copy('link') },
    { key: 'Y', says: traceText.keys.markdown, run: () => void copy('markdown') },
    { key: '[', says: traceText.keys.before, run: () => toNeighbor(-1) },
    { key: ']', says: traceText.keys.after, run: () => toNeighbor(1) },
    ...(traceRef.from !== 'project'
      ? []
      : [{ key: 'b', says: traceText.keys.bookmark, run: () => void setFlags(traceRef, { bookmarked: !model.head.bookmarked }) }]),
  ])
  const loadBelow = (row: number) => {
    clearTimeout(timer.current)
    onHidden(textAt(model.ids, row))
  }
  const shown = model.rows - (model.orphanage < 0 ? 0 : 1)
  const [hidden] = useState(() => model.hidden.reduce((sum, each) => sum + each, 0))
  return (
    <div className={css['page']}>
      <Header traceRef={traceRef} model={model} onCopy={copy} />
      {shown < model.head.observations && (
        <p className={css['cut']} role="status">
          {isLoading ? traceText.loadingBelow : traceText.cut(shown, model.head.observations, shown + hidden)}
        </p>
      )}
      <div className={css['split']}>
        <section className={css['left']} aria-label={traceText.list}>
          <List
            ref={list}
            traceRef={traceRef}
            model={model}
            initial={initial}
            opened={openedRows}
            onSelect={onSelect}
            onHidden={loadBelow}
            onEnter={() => detail.current?.focus()}
          />
        </section>
        <section ref={detail} className={css['right']} aria-label={traceText.detail.title} tabIndex={-1}>
          <ContentKeys traceRef={traceRef} observationId={open} />
          <ObservationDetail traceRef={traceRef} observationId={open} />
        </section>
      </div>
    </div>
  )
}
