// Writes list rows directly into the document. A key press changes about forty rows. A framework cannot update so many rows in one frame.
import { glyphPath, typeColor } from '../../design/glyph.tsx'
import { traceText } from '../../text/trace.ts'
import { cost, duration, shortCount } from '../../text/units.ts'
import { errorLevel, type TraceModel } from '../model/model.ts'
import { textAt } from '../model/packed.ts'
import { groupOfEntry, isGroup } from '../model/visible.ts'
import css from './list.module.css'

export type ColorBy = 'type' | 'cost' | 'model'

export interface Drawing {
  readonly model: TraceModel
  readonly colorBy: ColorBy
  readonly fromUs: number
  readonly toUs: number
  readonly selected: number
  /** Undefined without a search. */
  readonly matches: Uint8Array | undefined
  readonly showsPath: boolean
}

interface Entry {
  readonly entry: number
  readonly index: number
  readonly depth: number
  readonly position: number
  readonly count: number
  /** Undefined if the row has no children. */
  readonly isOpen: boolean | undefined
}

export interface RowElement {
  readonly row: HTMLElement
  write(entry: Entry, drawing: Drawing): void
}

const svgNamespace = 'http://www.w3.org/2000/svg'
const indentPx = 14
const deepestIndent = 24

function part(className: string, parent: HTMLElement, role = 'gridcell'): HTMLElement {
  const element = document.createElement('div')
  element.className = css[className]!
  if (role !== '') element.setAttribute('role', role)
  parent.append(element)
  return element
}

function glyph(parent: HTMLElement) {
  const svg = document.createElementNS(svgNamespace, 'svg')
  const path = document.createElementNS(svgNamespace, 'path')
  svg.setAttribute('viewBox', '0 0 14 14')
  svg.setAttribute('class', css['glyph']!)
  svg.setAttribute('aria-hidden', 'true')
  svg.append(path)
  parent.append(svg)
  return { svg, path }
}

const errorShape = 'M7 1.5l6 10.5h-12z M7 5.2v3.2 M7 10.2v.1'
const hues = [212, 20, 265, 150, 48, 330, 185, 95]

export function createRow(id: string): RowElement {
  const row = document.createElement('div')
  row.className = css['row']!
  row.id = id
  row.setAttribute('role', 'row')
  const name = part('name', row)
  const twisty = part('twisty', name, '')
  twisty.setAttribute('aria-hidden', 'true')
  const { svg, path } = glyph(name)
  const label = document.createElement('span')
  label.className = css['label']!
  const mark = glyph(name)
  mark.path.setAttribute('d', errorShape)
  mark.svg.setAttribute('class', css['mark']!)
  const said = document.createElement('span')
  said.className = css['said']!
  name.append(label, said)
  const [time, money, tokens] = [part('number', row), part('number', row), part('number', row)]
  const cell = part('time', row)
  const bar = part('bar', cell, '')
  const gaps = Array.from({ length: 8 }, () => part('gap', bar, ''))
  const texts = new Map<HTMLElement, string>()
  const say = (element: HTMLElement, text: string) => {
    if (texts.get(element) === text) return
    texts.set(element, text)
    element.textContent = text
  }

  function write({ entry, index, depth, position, count, isOpen }: Entry, drawing: Drawing): void {
    const { model, selected, matches, showsPath } = drawing
    const group = isGroup(entry) ? groupOfEntry(entry) : -1
    const first = group < 0 ? entry : model.groups.members[model.groups.begins[group]!]!
    const members = group < 0 ? 1 : model.groups.begins[group + 1]! - model.groups.begins[group]!
    const type = textAt(model.texts, model.types[first]!)
    const isOrphanage = first === model.orphanage
    const hasFailed = group < 0 && model.levels[first] === errorLevel
    const text = nameOf(model, first)
    attributes(row, {
      'aria-rowindex': String(index + 2),
      'aria-level': String(depth),
      'aria-posinset': String(position),
      'aria-setsize': String(count),
      'aria-selected': String(entry === selected),
      'aria-expanded': isOpen === undefined ? null : String(isOpen),
      'data-index': String(index),
      'data-error': hasFailed ? '' : null,
      'data-warning': group < 0 && model.levels[first] === errorLevel - 1 ? '' : null,
      'data-dim':
        (matches !== undefined && !isMatch(model, group, first, matches)) || (showsPath && !isMatch(model, group, first, model.isOnPath))
          ? ''
          : null,
      'data-match': matches !== undefined && isMatch(model, group, first, matches) ? '' : null,
      'data-below': group < 0 && !hasFailed && model.errors[first]! > 0 && isOpen === false ? '' : null,
      title: null,
    })
    name.style.paddingLeft = `${4 + Math.min(depth - 1, deepestIndent) * indentPx}px`
    twisty.dataset['state'] = isOpen === undefined ? 'none' : isOpen ? 'open' : 'shut'
    path.setAttribute('d', glyphPath(type))
    svg.style.color = isOrphanage ? 'var(--muted)' : typeColor(type)
    say(
      label,
      group < 0 ? withHidden(text, model.hidden[first]!) : traceText.group(text, members, duration(model.groups.p50Us[group]! / 1000)),
    )
    label.dir = 'auto'
    const errors = group < 0 ? model.errors[first]! : 0
    mark.svg.style.display = errors > 0 && (hasFailed || isOpen === false) ? '' : 'none'
    say(said, spoken(type, hasFailed, model.isRunning[first] === 1, group < 0 ? model.levels[first]! : 1))
    numbers(model, group, first)
    place(drawing, group, first, type)
  }

  function numbers(model: TraceModel, group: number, first: number): void {
    if (group >= 0) {
      const rows = model.groups.members.subarray(model.groups.begins[group]!, model.groups.begins[group + 1]!)
      const sum = (of: Float64Array) => rows.reduce((total, each) => total + of[each]!, 0)
      const us = rows.reduce((total, each) => total + model.endsUs[each]! - model.startsUs[each]!, 0)
      say(time, duration(us / 1000))
      say(money, costText(sum(model.costs)))
      say(tokens, countText(sum(model.tokens)))
      return
    }
    const us = model.endsUs[first]! - model.startsUs[first]!
    say(time, model.isRunning[first] === 1 ? traceText.isRunning : duration(us / 1000))
    say(money, costText(model.costs[first]!))
    say(tokens, countText(model.tokens[first]!))
    time.title = `${duration(us / 1000)}, ${duration(model.selfUs[first]! / 1000)} ${traceText.self}`
    money.title = sums(model.ownCosts[first]! || 0, model.costs[first]!, cost)
    tokens.title = sums(model.ownTokens[first]!, model.tokens[first]!, shortCount)
  }

  function place({ model, colorBy, fromUs, toUs }: Drawing, group: number, first: number, type: string): void {
    const rows = group < 0 ? [first] : model.groups.members.subarray(model.groups.begins[group]!, model.groups.begins[group + 1]!)
    let [start, end] = [model.startsUs[first]!, 0]
    for (const each of rows) [start, end] = [Math.min(start, model.startsUs[each]!), Math.max(end, model.endsUs[each]!)]
    const span = Math.max(1, toUs - fromUs)
    const at = (us: number) => Math.max(0, Math.min(1, (us - fromUs) / span)) * 100
    const [left, right] = [at(start), at(end)]
    const isOutside = end < fromUs || start > toUs
    bar.style.left = `${left}%`
    bar.style.width = `${right - left}%`
    bar.style.visibility = isOutside ? 'hidden' : ''
    bar.style.setProperty('--bar', barColor(model, colorBy, first, type))
    bar.dataset['open'] = model.isRunning[first] === 1 ? '' : 'no'
    bar.dataset['many'] = group < 0 ? 'no' : ''
    const [begin, after] = group < 0 ? [model.gaps.begins[first]!, model.gaps.begins[first + 1]!] : [0, 0]
    gaps.forEach((gap, index) => {
      gap.style.display = index < after - begin ? '' : 'none'
      if (index >= after - begin || right <= left) return
      const [begins, ends] = [model.gaps.us[2 * (begin + index)]!, model.gaps.us[2 * (begin + index) + 1]!]
      gap.style.left = `${((at(begins) - left) / (right - left)) * 100}%`
      gap.style.width = `${((at(ends) - at(begins)) / (right - left)) * 100}%`
    })
  }

  return { row, write }
}

function attributes(element: HTMLElement, values: Readonly<Record<string, string | null>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) element.removeAttribute(name)
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value)
  }
}

export const nameOf = (model: TraceModel, row: number): string =>
  textAt(model.texts, model.names[row]!) || textAt(model.texts, model.types[row]!).toLowerCase()

function isMatch({ groups }: TraceModel, group: number, first: number, matches: Uint8Array): boolean {
  if (group < 0) return matches[first] === 1
  return groups.members.subarray(groups.begins[group]!, groups.begins[group + 1]!).some(row => matches[row] === 1)
}

const withHidden = (name: string, hidden: number) => (hidden === 0 ? name : `${name} · ${traceText.below(hidden)}`)
const costText = (dollars: number) => (dollars === 0 ? '' : cost(dollars))
const countText = (tokens: number) => (tokens === 0 ? '' : shortCount(tokens))
const sums = (own: number, all: number, say: (value: number) => string) =>
  all === 0 ? '' : `${say(own)} ${traceText.own}, ${say(all)} ${traceText.sum}`

function spoken(type: string, hasFailed: boolean, isRunning: boolean, level: number): string {
  const words = [type.toLowerCase()]
  if (hasFailed) words.push(traceText.error)
  if (level === errorLevel - 1) words.push(traceText.warning)
  if (isRunning) words.push(traceText.isRunning)
  return ` ${words.join(', ')}`
}

function barColor(model: TraceModel, colorBy: ColorBy, row: number, type: string): string {
  if (row === model.orphanage) return 'var(--muted)'
  if (colorBy === 'type') return typeColor(type)
  if (colorBy === 'model') {
    const at = model.models[row]!
    return textAt(model.texts, at) === '' ? 'var(--line-strong)' : `hsl(${hues[at % hues.length]} 60% 50%)`
  }
  const all = Math.max(1e-12, model.head.cost)
  const share = Math.min(1, model.costs[row]! / all)
  return `color-mix(in srgb, var(--error) ${Math.round(share * 100)}%, var(--line-strong))`
}
