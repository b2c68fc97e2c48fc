// The list with its controls.
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { useKeys } from '../../keys/keys.ts'
import { traceText } from '../../text/trace.ts'
import { duration } from '../../text/units.ts'
import { searchContents, type TraceRef } from '../load.ts'
import { childWithMost, errorChain, findNames, type NameIndex, nameIndex } from '../model/find.ts'
import { rowOf, type TraceModel } from '../model/model.ts'
import { textAt } from '../model/packed.ts'
import { firstFolds, groupOfEntry, isGroup } from '../model/visible.ts'
import { type ColorBy, nameOf } from './draw.ts'
import css from './list.module.css'
import { createTraceList, type TraceList } from './list.ts'
import { Minimap } from './minimap-strip.tsx'

export interface ListHandle {
  goTo(row: number): void
}

interface ListPaneProps {
  readonly ref: Ref<ListHandle>
  readonly traceRef: TraceRef
  readonly model: TraceModel
  readonly initial: number
  /** Rows that the user opened to load their children. */
  readonly opened: readonly number[]
  readonly onSelect: (row: number) => void
  readonly onHidden: (row: number) => void
  readonly onEnter: () => void
}

const { keys, columns } = traceText

/** For a group, returns its first member. */
const rowOfEntry = ({ groups }: TraceModel, entry: number): number =>
  isGroup(entry) ? groups.members[groups.begins[groupOfEntry(entry)]!]! : entry

interface Found {
  readonly rows: readonly number[]
  readonly note: string
}

export function ListPane({ ref, traceRef, model, initial, opened, onSelect, onHidden, onEnter }: ListPaneProps) {
  const host = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const first = useRef(opened)
  const list = useRef<TraceList>(null)
  const latest = useRef({ onSelect, onHidden })
  latest.current = { onSelect, onHidden }
  const known = useRef<NameIndex>(undefined)
  // Indexing 100,000 names takes longer than a frame, so the index is made only when a search needs it.
  const index = () => (known.current ??= nameIndex(model))
  const { failed: errors, waits: path } = model
  const [found, setFound] = useState<Found | undefined>(undefined)
  const [place, setPlace] = useState(0)
  const [showsPath, setShowsPath] = useState(false)
  const [zoom, setZoom] = useState<{ readonly fromUs: number; readonly toUs: number } | undefined>(undefined)
  const [says, setSays] = useState('')
  const search = useRef<AbortController>(undefined)

  useImperativeHandle(ref, () => ({ goTo: row => list.current?.goTo(row) }))

  useEffect(() => {
    const shown = createTraceList({
      host: host.current!,
      model,
      folds: firstFolds(model, initial, first.current),
      selected: initial,
      onSelect: entry => latest.current.onSelect(rowOfEntry(model, entry)),
      onHidden: row => latest.current.onHidden(row),
      onScroll: () => {},
    })
    list.current = shown
    latest.current.onSelect(initial)
    // Setting the focus forces the browser to compute the layout. The focus is set in the next frame, because the browser computes the
    // layout there anyway.
    const frame = requestAnimationFrame(() => host.current?.focus({ preventScroll: true }))
    return () => {
      cancelAnimationFrame(frame)
      shown.dispose()
    }
  }, [model, initial])

  const rowNow = () => rowOfEntry(model, list.current?.selected ?? initial)

  function show(next: Found | undefined): void {
    setFound(next)
    setPlace(0)
    if (next === undefined) return list.current?.setMatches(undefined)
    const matches = new Uint8Array(model.rows)
    for (const row of next.rows) matches[row] = 1
    list.current?.setMatches(matches)
  }

  function find(text: string): void {
    search.current?.abort()
    show(text.trim() === '' ? undefined : { rows: findNames(model, index(), text), note: '' })
  }

  async function findContents(text: string): Promise<void> {
    if (text.trim() === '') return
    const names = findNames(model, index(), text)
    search.current?.abort()
    search.current = new AbortController()
    const { signal } = search.current
    show({ rows: names, note: traceText.searching })
    try {
      const { matches, isCut, maxObservations } = await searchContents(traceRef, text, signal)
      const rows = new Set(names)
      for (const { id } of matches) {
        const row = rowOf(model, textAt, id)
        if (row >= 0) rows.add(row)
      }
      const all = [...rows].sort((a, b) => model.places[a]! - model.places[b]!)
      show({ rows: all, note: isCut ? traceText.foundCut(maxObservations) : '' })
      if (all[0] !== undefined) {
        list.current?.goTo(all[0])
        host.current?.focus({ preventScroll: true })
      }
    } catch (error) {
      if (!signal.aborted) show({ rows: names, note: error instanceof Error ? error.message : String(error) })
    }
  }

  function walk(by: 1 | -1): void {
    if (found === undefined || found.rows.length === 0) return
    const now = model.places[rowNow()]!
    const { rows } = found
    const after = by === 1 ? rows.findIndex(row => model.places[row]! > now) : rows.findLastIndex(row => model.places[row]! < now)
    const at = after >= 0 ? after : by === 1 ? 0 : rows.length - 1
    setPlace(at)
    list.current?.goTo(rows[at]!)
  }

  function nextError(): void {
    if (errors.length === 0) return
    const now = model.places[rowNow()]!
    const row = errors.find(each => model.places[each]! > now) ?? errors[0]!
    list.current?.goTo(row)
    const chain = errorChain(model, row).map(each => nameOf(model, each))
    setSays(`${traceText.error} ${errors.indexOf(row) + 1}/${errors.length}: ${chain.join(' ← ')}`)
  }

  function togglePath(): void {
    list.current?.setPath(!showsPath)
    setShowsPath(!showsPath)
  }

  function child(of: (row: number) => number): void {
    const row = childWithMost(model, rowNow(), of)
    if (row >= 0) list.current?.goTo(row)
  }

  function zoomTo(range: typeof zoom): void {
    setZoom(range)
    list.current?.setZoom(range)
  }

  function toggleZoom(): void {
    const row = rowNow()
    zoomTo(zoom === undefined ? { fromUs: model.startsUs[row]!, toUs: Math.max(model.startsUs[row]! + 1, model.endsUs[row]!) } : undefined)
  }

  const isOfList = ({ target }: KeyboardEvent) => target === host.current || target === document.body || target instanceof HTMLElement
  const on = (run: (shown: TraceList) => void) => (event: KeyboardEvent) => {
    if (list.current !== null && isOfList(event)) run(list.current)
  }
  useKeys([
    { key: 'ArrowDown', says: keys.down, run: on(shown => shown.move(1)) },
    { key: 'ArrowUp', says: keys.up, run: on(shown => shown.move(-1)) },
    { key: 'PageDown', says: keys.down, run: on(shown => shown.move(shown.pageRows)) },
    { key: 'PageUp', says: keys.up, run: on(shown => shown.move(-shown.pageRows)) },
    { key: 'Home', says: keys.up, run: on(shown => shown.edge('first')) },
    { key: 'End', says: keys.down, run: on(shown => shown.edge('last')) },
    { key: 'ArrowRight', says: keys.right, run: on(shown => shown.unfold()) },
    { key: 'ArrowLeft', says: keys.left, run: on(shown => shown.fold()) },
    { key: 'Enter', says: traceText.detail.title, run: onEnter },
    { key: 'e', says: keys.error, run: nextError },
    { key: 'c', says: keys.path, run: togglePath },
    { key: 's', says: keys.slowest, run: () => child(row => model.endsUs[row]! - model.startsUs[row]!) },
    { key: '$', says: keys.dearest, run: () => child(row => model.costs[row]!) },
    { key: '/', says: keys.find, run: () => field.current?.select() },
    { key: 'n', says: keys.next, run: () => walk(1) },
    { key: 'N', says: keys.previous, run: () => walk(-1) },
    { key: 'z', says: keys.zoom, run: toggleZoom },
  ])

  return (
    <>
      <Minimap model={model} zoom={zoom} onZoom={zoomTo} />
      <div className={css['tools']}>
        <input
          ref={field}
          className={css['find']}
          type="search"
          placeholder={traceText.find}
          aria-label={traceText.find}
          title={traceText.findHelp}
          onChange={({ target }) => find(target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter') void findContents(event.currentTarget.value)
            if (event.key === 'Escape') {
              event.currentTarget.value = ''
              find('')
              host.current?.focus({ preventScroll: true })
            }
          }}
        />
        <span className={css['status']} role="status">
          {found === undefined ? says : `${traceText.found(place + 1, found.rows.length)} ${found.note}`}
        </span>
        {errors.length > 0 && (
          <Button look="quiet" onClick={nextError}>
            {traceText.errors(errors.length)} <kbd>e</kbd>
          </Button>
        )}
        <Button look="quiet" aria-pressed={showsPath} onClick={togglePath}>
          {keys.path} <kbd>c</kbd>
        </Button>
        {zoom !== undefined && (
          <Button look="quiet" onClick={() => zoomTo(undefined)}>
            {traceText.zoomed} <kbd>z</kbd>
          </Button>
        )}
        <select
          className={css['select']}
          aria-label={traceText.color}
          onChange={({ target }) => list.current?.setColor(target.value as ColorBy)}
        >
          {Object.entries(traceText.colors).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {showsPath && (
        <p className={css['path']}>
          {traceText.path(duration(model.totalUs / 1000))}
          {[
            ...path.parts.slice(0, 6).map(({ name, us }) => `${name} ${duration(us / 1000)}`),
            ...(path.parts.length > 6 ? [`… ${duration(path.parts.slice(6).reduce((sum, { us }) => sum + us, 0) / 1000)}`] : []),
            ...(path.nothingUs > 0 ? [`${traceText.nothing} ${duration(path.nothingUs / 1000)}`] : []),
          ].join(' + ')}
        </p>
      )}
      <div className={css['head']} aria-hidden="true">
        <span>{columns.name}</span>
        <span>{columns.duration}</span>
        <span>{columns.cost}</span>
        <span>{columns.tokens}</span>
        <span>
          {zoom === undefined ? duration(model.totalUs / 1000) : `${duration(zoom.fromUs / 1000)} – ${duration(zoom.toUs / 1000)}`}
        </span>
      </div>
      <div ref={host} className={css['host']} role="treegrid" tabIndex={0} aria-readonly="true" />
    </>
  )
}
