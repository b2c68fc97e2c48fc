// Draws the list of a trace's rows. The page's document contains only the visible rows.
import { traceText } from '../../text/trace.ts'
import type { TraceModel } from '../model/model.ts'
import { type Folds, groupOfEntry, isGroup, reveal, type Visible, visibleOf } from '../model/visible.ts'
import { type ColorBy, createRow, type Drawing, type RowElement } from './draw.ts'
import css from './list.module.css'

const rowPx = 28
const spareRows = 4

export interface ListOptions {
  /** The scrolling element, which can have the focus. */
  readonly host: HTMLElement
  readonly model: TraceModel
  readonly folds: Folds
  readonly selected: number
  readonly onSelect: (entry: number) => void
  /** Called when the user opens a row whose children are not loaded. */
  readonly onHidden: (row: number) => void
  readonly onScroll: () => void
}

export interface TraceList {
  readonly selected: number
  readonly visible: Visible
  /** Index of the first visible entry, and index after the last visible entry. */
  readonly seen: readonly [number, number]
  select(entry: number): void
  goTo(row: number): void
  move(by: number): void
  edge(end: 'first' | 'last'): void
  unfold(): void
  fold(): void
  toggle(entry: number): void
  setMatches(matches: Uint8Array | undefined): void
  setColor(colorBy: ColorBy): void
  setPath(showsPath: boolean): void
  setZoom(range: { readonly fromUs: number; readonly toUs: number } | undefined): void
  readonly pageRows: number
  scrollTo(index: number): void
  dispose(): void
}

let lists = 0

export function createTraceList({ host, model, folds, selected, onSelect, onHidden, onScroll }: ListOptions): TraceList {
  const name = `trace-list-${++lists}`
  const spacer = document.createElement('div')
  const box = document.createElement('div')
  spacer.className = css['spacer']!
  box.className = css['box']!
  spacer.setAttribute('role', 'presentation')
  box.setAttribute('role', 'rowgroup')
  spacer.append(box)
  host.replaceChildren(spacer)
  const pool: RowElement[] = []
  let visible = visibleOf(model, folds)
  let places = placesOf(visible)
  let drawing: Drawing = {
    ...{ model, colorBy: 'type', fromUs: 0, toUs: Math.max(1, model.totalUs), selected, matches: undefined, showsPath: false },
  }
  let drawnFrom = -1
  let version = 0
  let drawnVersion = -1
  let rowsMade = 0
  let frame = 0

  const isLeaf = (row: number) => model.children.begins[row] === model.children.begins[row + 1]
  const isOpen = (entry: number): boolean | undefined => {
    if (isGroup(entry)) return folds.groups[groupOfEntry(entry)] === 1
    if (isLeaf(entry)) return model.hidden[entry]! > 0 ? false : undefined
    return folds.rows[entry] === 1
  }
  const seenRows = () => Math.ceil(host.clientHeight / rowPx)

  function write(element: RowElement, index: number): void {
    const { entries, depths, positions, counts } = visible
    const entry = entries[index]!
    const place = { depth: depths[index]!, position: positions[index]!, count: counts[index]! }
    element.write({ entry, index, ...place, isOpen: isOpen(entry) }, drawing)
  }

  function resize(wanted: number): void {
    while (pool.length < wanted) {
      const made = createRow(`${name}-${++rowsMade}`)
      pool.push(made)
      box.append(made.row)
    }
    for (const element of pool.splice(wanted)) element.row.remove()
  }

  /** An element that scrolls out of view is reused at the other end of the list. */
  function turn(by: number, from: number): void {
    for (let step = 0; step < by; step++) {
      const element = pool.shift()!
      pool.push(element)
      box.append(element.row)
      write(element, from + pool.length - by + step)
    }
    for (let step = 0; step < -by; step++) {
      const element = pool.pop()!
      pool.unshift(element)
      box.prepend(element.row)
      write(element, from - by - 1 - step)
    }
  }

  function draw(): void {
    const { entries } = visible
    const from = Math.max(0, Math.min(Math.floor(host.scrollTop / rowPx) - spareRows, entries.length - 1))
    const wanted = Math.max(0, Math.min(entries.length - from, seenRows() + 2 * spareRows))
    const mayTurn = drawnVersion === version && pool.length === wanted && Math.abs(from - drawnFrom) < wanted
    resize(wanted)
    if (mayTurn) turn(from - drawnFrom, from)
    else for (const [at, element] of pool.entries()) write(element, from + at)
    if (from !== drawnFrom) box.style.transform = `translateY(${from * rowPx}px)`
    drawnFrom = from
    drawnVersion = version
    mark()
  }

  function mark(): void {
    let active: string | undefined
    for (const [at, { row }] of pool.entries()) {
      const isSelected = visible.entries[drawnFrom + at] === drawing.selected
      if (isSelected) active = row.id
      if ((row.getAttribute('aria-selected') === 'true') !== isSelected) row.setAttribute('aria-selected', String(isSelected))
    }
    if (active === undefined) host.removeAttribute('aria-activedescendant')
    else if (host.getAttribute('aria-activedescendant') !== active) host.setAttribute('aria-activedescendant', active)
  }

  function changed(): void {
    version++
    visible = visibleOf(model, folds)
    places = placesOf(visible)
    spacer.style.height = `${visible.entries.length * rowPx}px`
    host.setAttribute('aria-rowcount', String(visible.entries.length + 1))
  }

  function show(index: number): void {
    const [top, height] = [index * rowPx, host.clientHeight]
    if (top < host.scrollTop + rowPx) host.scrollTop = Math.max(0, top - rowPx)
    else if (top + 2 * rowPx > host.scrollTop + height) host.scrollTop = top + 2 * rowPx - height
  }

  function select(entry: number): void {
    const index = places.get(entry)
    if (index === undefined) return
    drawing = { ...drawing, selected: entry }
    show(index)
    draw()
    onSelect(entry)
  }

  function set(entry: number, open: boolean): void {
    if (isOpen(entry) === undefined || isOpen(entry) === open) return
    if (!isGroup(entry) && isLeaf(entry)) return onHidden(entry)
    if (isGroup(entry)) folds.groups[groupOfEntry(entry)] = open ? 1 : 0
    else folds.rows[entry] = open ? 1 : 0
    changed()
    if (!places.has(drawing.selected)) drawing = { ...drawing, selected: entry }
    draw()
    onScroll()
  }

  const placeOfSelected = () => places.get(drawing.selected) ?? 0
  const at = (index: number) => visible.entries[Math.max(0, Math.min(visible.entries.length - 1, index))]

  function parentEntry(entry: number): number | undefined {
    const first = isGroup(entry) ? model.groups.members[model.groups.begins[groupOfEntry(entry)]!]! : entry
    const group = isGroup(entry) ? -1 : model.groups.of[entry]!
    if (group >= 0 && places.has(-1 - group)) return -1 - group
    return model.parents[first] === -1 ? undefined : model.parents[first]
  }

  const redraw = (next: Partial<Drawing>) => {
    drawing = { ...drawing, ...next }
    version++
    draw()
  }

  function onScrolled(): void {
    if (frame !== 0) return
    frame = requestAnimationFrame(() => {
      frame = 0
      const from = Math.max(0, Math.floor(host.scrollTop / rowPx) - spareRows)
      if (from !== drawnFrom) draw()
      onScroll()
    })
  }

  function onClick({ target }: MouseEvent): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
    const entry = row === null ? undefined : visible.entries[Number(row.dataset['index'])]
    if (entry === undefined) return
    const isTwisty = target instanceof Element && target.closest(`.${css['twisty']}`) !== null
    if (isTwisty || (entry === drawing.selected && isGroup(entry))) toggle(entry)
    if (!isTwisty) select(entry)
  }

  function onDoubleClick({ target }: MouseEvent): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
    const entry = row === null ? undefined : visible.entries[Number(row.dataset['index'])]
    if (entry !== undefined && !isGroup(entry)) toggle(entry)
  }

  const toggle = (entry: number) => set(entry, isOpen(entry) === false)

  const resized = new ResizeObserver(() => {
    draw()
    onScroll()
  })
  host.addEventListener('scroll', onScrolled, { passive: true })
  host.addEventListener('click', onClick)
  host.addEventListener('dblclick', onDoubleClick)
  host.setAttribute('aria-label', traceText.list)
  changed()
  const first = places.get(selected)
  if (first !== undefined) host.scrollTop = Math.max(0, first * rowPx - host.clientHeight / 3)
  draw()
  resized.observe(host)

  return {
    get selected() {
      return drawing.selected
    },
    get visible() {
      return visible
    },
    get seen() {
      const from = Math.floor(host.scrollTop / rowPx)
      return [from, Math.min(visible.entries.length, from + seenRows())] as const
    },
    get pageRows() {
      return Math.max(1, seenRows() - 2)
    },
    select,
    goTo(row) {
      const isHidden = !places.has(row)
      if (isHidden) {
        reveal(model, folds, row)
        changed()
      }
      select(row)
      if (isHidden) onScroll()
    },
    move(by) {
      const entry = at(placeOfSelected() + by)
      if (entry !== undefined) select(entry)
    },
    edge(end) {
      const entry = at(end === 'first' ? 0 : visible.entries.length - 1)
      if (entry !== undefined) select(entry)
    },
    unfold() {
      const entry = drawing.selected
      if (isOpen(entry) === false) set(entry, true)
      else if (isOpen(entry) === true) this.move(1)
    },
    fold() {
      const entry = drawing.selected
      if (isOpen(entry) === true) return set(entry, false)
      const parent = parentEntry(entry)
      if (parent !== undefined) select(parent)
    },
    toggle,
    setMatches: matches => redraw({ matches }),
    setColor: colorBy => redraw({ colorBy }),
    setPath: showsPath => redraw({ showsPath }),
    setZoom: range => redraw(range ?? { fromUs: 0, toUs: Math.max(1, model.totalUs) }),
    scrollTo(index) {
      host.scrollTop = index * rowPx
    },
    dispose() {
      resized.disconnect()
      cancelAnimationFrame(frame)
      host.removeEventListener('scroll', onScrolled)
      host.removeEventListener('click', onClick)
      host.removeEventListener('dblclick', onDoubleClick)
      host.replaceChildren()
    },
  }
}

const placesOf = ({ entries }: Visible): ReadonlyMap<number, number> => {
  const places = new Map<number, number>()
  for (let index = 0; index < entries.length; index++) places.set(entries[index]!, index)
  return places
}
