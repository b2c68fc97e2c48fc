// Displays the lines of a JSON value. This code does not use React. The page's document contains only the visible lines.
import { traceText } from '../../text/trace.ts'
import css from './json.module.css'
import { type Document, type Line, linesOf, pathOf, revealAt, unfolds } from './lines.ts'
import { kinds, stringAt } from './scan.ts'

const linePx = 20
const spareLines = 6
/** Maximum length of a folded string. Unfolding a string shows all of its characters. */
const lineCharacters = 240
const tallestPx = 480

export interface JsonView {
  /** Returns false if there is no match. */
  find(text: string): boolean
  dispose(): void
}

export function createJsonView(host: HTMLElement, document: Document): JsonView {
  const spacer = globalThis.document.createElement('div')
  const box = globalThis.document.createElement('div')
  spacer.className = css['spacer']!
  box.className = css['box']!
  spacer.append(box)
  host.replaceChildren(spacer)
  const pool: HTMLElement[] = []
  let width = 100
  let lines: readonly Line[] = []
  let [selected, foundAt] = [-1, -1]
  let isFocused = false

  function relayout(): void {
    width = Math.max(30, Math.floor(host.clientWidth / 7.3) - 8)
    lines = linesOf(document, width)
    spacer.style.height = `${lines.length * linePx}px`
    host.style.height = `${Math.min(tallestPx, lines.length * linePx + 10)}px`
    draw()
  }

  function draw(): void {
    const from = Math.max(0, Math.floor(host.scrollTop / linePx) - spareLines)
    const wanted = Math.min(lines.length - from, Math.ceil(Math.max(host.clientHeight, linePx) / linePx) + 2 * spareLines)
    box.style.transform = `translateY(${from * linePx}px)`
    while (pool.length < wanted) {
      const line = globalThis.document.createElement('div')
      pool.push(line)
      box.append(line)
    }
    pool.forEach((element, at) => {
      element.hidden = at >= wanted
      if (at < wanted) write(element, from + at)
    })
  }

  function write(element: HTMLElement, at: number): void {
    const { document: of, node, depth, piece } = lines[at]!
    element.className = css['line']!
    element.dataset['at'] = String(at)
    element.dataset['selected'] = at === selected && isFocused ? '' : 'no'
    element.style.paddingLeft = `${20 + Math.min(depth, 40) * 14}px`
    if (piece !== undefined) return element.replaceChildren(span('piece', piece))
    const parts: Node[] = []
    if (unfolds(of, node)) parts.push(span(of.open.has(node) ? 'open' : 'shut', ''))
    const { index, text } = of
    if (index.keyStarts[node]! >= 0)
      parts.push(span('key', stringAt(text, index.keyStarts[node]!, index.keyEnds[node]!)), span('mark', ': '))
    element.replaceChildren(...parts, ...partsOf(of, node))
  }

  function partsOf({ text, index, open }: Document, node: number): readonly Node[] {
    const [start, end, count] = [index.starts[node]!, index.ends[node]!, index.counts[node]!]
    switch (index.kinds[node]) {
      case kinds.object:
        return [
          span('mark', count === 0 ? '{}' : open.has(node) ? '{' : '{…}'),
          ...(count === 0 ? [] : [span('count', traceText.detail.keys(count))]),
        ]
      case kinds.array:
        return [
          span('mark', count === 0 ? '[]' : open.has(node) ? '[' : '[…]'),
          ...(count === 0 ? [] : [span('count', traceText.detail.items(count))]),
        ]
      case kinds.string: {
        const isLong = end - start > lineCharacters
        const said = span('string', isLong ? `${text.slice(start, start + lineCharacters)}…` : text.slice(start, end))
        return isLong ? [said, span('count', traceText.detail.some(lineCharacters - 1, end - start - 2))] : [said]
      }
      case kinds.number:
        return [span('number', text.slice(start, end))]
      default:
        return [span('word', text.slice(start, end))]
    }
  }

  function toggle(at: number): void {
    const line = lines[at]
    if (line === undefined || line.piece !== undefined || !unfolds(line.document, line.node)) return
    const { open } = line.document
    if (!open.delete(line.node)) open.add(line.node)
    relayout()
  }

  function show(at: number): void {
    selected = Math.max(0, Math.min(lines.length - 1, at))
    const top = selected * linePx
    if (top < host.scrollTop) host.scrollTop = top
    else if (top + 2 * linePx > host.scrollTop + host.clientHeight) host.scrollTop = top + 2 * linePx - host.clientHeight
    draw()
  }

  function onClick({ target }: MouseEvent): void {
    const line = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null
    if (line === null || getSelection()?.isCollapsed === false) return
    selected = Number(line.dataset['at'])
    toggle(selected)
    draw()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const line = lines[selected]
    const isOpen = line?.document.open.has(line.node)
    const byKey = new Map<string, () => void>([
      ['ArrowDown', () => show(selected + 1)],
      ['ArrowUp', () => show(selected - 1)],
      ['ArrowRight', () => (isOpen || line === undefined ? show(selected + 1) : toggle(selected))],
      ['ArrowLeft', () => (isOpen ? toggle(selected) : show(selected - 1))],
      ['Enter', () => toggle(selected)],
    ])
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : byKey.get(event.key)
    if (run !== undefined) {
      event.preventDefault()
      event.stopPropagation()
      return run()
    }
    if ((event.ctrlKey || event.metaKey) && event.key === 'c' && line !== undefined && getSelection()?.isCollapsed !== false) {
      event.preventDefault()
      const { text, index } = line.document
      void navigator.clipboard.writeText(
        event.shiftKey ? pathOf(line.document, line.node) : text.slice(index.starts[line.node], index.ends[line.node]),
      )
    }
  }

  const onFocus = () => {
    isFocused = true
    if (selected < 0) selected = 0
    draw()
  }
  const onBlur = () => {
    isFocused = false
    draw()
  }
  let known = -1
  const resized = new ResizeObserver(() => {
    // The positions of line breaks depend on the width, but not on the height.
    if (host.clientWidth === known) return draw()
    known = host.clientWidth
    relayout()
  })
  host.addEventListener('scroll', draw, { passive: true })
  host.addEventListener('click', onClick)
  host.addEventListener('keydown', onKeyDown)
  host.addEventListener('focus', onFocus)
  host.addEventListener('blur', onBlur)
  relayout()
  resized.observe(host)

  return {
    find(text) {
      const sought = text.toLowerCase()
      if (sought === '') return false
      const whole = document.text.toLowerCase()
      const next = whole.indexOf(sought, foundAt + 1)
      foundAt = next >= 0 ? next : whole.indexOf(sought)
      if (foundAt < 0) return false
      const node = revealAt(document, foundAt)
      relayout()
      isFocused = true
      show(lines.findIndex(line => line.document === document && line.node === node && line.piece === undefined))
      return true
    },
    dispose() {
      resized.disconnect()
      host.replaceChildren()
      host.removeEventListener('scroll', draw)
      host.removeEventListener('click', onClick)
      host.removeEventListener('keydown', onKeyDown)
      host.removeEventListener('focus', onFocus)
      host.removeEventListener('blur', onBlur)
    },
  }
}

function span(name: string, text: string): HTMLElement {
  const element = globalThis.document.createElement('span')
  element.className = css[name] ?? ''
  element.textContent = text
  return element
}
