// The page that compares two traces side by side.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { Glyph } from '../../design/glyph.tsx'
import { Failed, Loading, StateOfPage } from '../../design/states.tsx'
import { useKeys } from '../../keys/keys.ts'
import { traceText } from '../../text/trace.ts'
import { cost, duration, shortCount } from '../../text/units.ts'
import { nameOf } from '../list/draw.ts'
import { treeQuery } from '../load.ts'
import type { TraceModel } from '../model/model.ts'
import { textAt } from '../model/packed.ts'
import { alignTraces, changeOf, type Pair } from './align.ts'
import css from './compare.module.css'
import { PairDetail } from './pair-detail.tsx'

const { compare: text } = traceText

export function ComparePage() {
  const { projectId: project = '', traceA = '', traceB = '' } = useParams({ strict: false })
  const a = useQuery(treeQuery({ project, trace: traceA, from: 'project' }))
  const b = useQuery(treeQuery({ project, trace: traceB, from: 'project' }))
  const error = a.error ?? b.error
  if (error !== null || a.data === undefined || b.data === undefined) {
    return (
      <StateOfPage title={text.title}>
        {error === null && <Loading rows={16} label={traceText.loading} />}
        {error !== null && <Failed error={error} onRetry={() => void Promise.all([a.refetch(), b.refetch()])} />}
      </StateOfPage>
    )
  }
  return <Comparison project={project} a={a.data} b={b.data} />
}

interface Sides {
  readonly a: TraceModel
  readonly b: TraceModel
}

const rowPx = 28
const seenRows = 60

function Comparison({ project, a, b }: Sides & { readonly project: string }) {
  const pairs = useMemo(() => alignTraces(a, b), [a, b])
  const changes = useMemo(() => pairs.map(pair => changeOf(a, b, pair)), [pairs, a, b])
  const [onlyChanges, setOnlyChanges] = useState(false)
  const shown = useMemo(() => pairs.map((_, at) => at).filter(at => !onlyChanges || changes[at] !== 'same'), [pairs, changes, onlyChanges])
  const { o } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [top, setTop] = useState(0)
  const host = useRef<HTMLDivElement>(null)
  const selected = useMemo(() => {
    const found = o === undefined ? -1 : pairs.findIndex(pair => idOf(a, pair.a) === o || idOf(b, pair.b) === o)
    return found >= 0
      ? found
      : Math.max(
          0,
          changes.findIndex(change => change !== 'same'),
        )
  }, [o, pairs, changes, a, b])
  const pair = pairs[selected]
  function select(at: number | undefined): void {
    if (at === undefined) return
    const next = pairs[at]!
    const place = shown.indexOf(at) * rowPx
    const element = host.current
    if (element !== null && (place < element.scrollTop || place + rowPx > element.scrollTop + element.clientHeight)) {
      element.scrollTop = place - element.clientHeight / 3
    }
    const id = idOf(b, next.b) ?? idOf(a, next.a)
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, o: id }), replace: true, resetScroll: false })
  }
  const now = shown.indexOf(selected)
  const nextChange = (by: 1 | -1) => {
    for (let at = selected + by; at >= 0 && at < pairs.length; at += by) if (changes[at] !== 'same') return select(at)
  }
  useKeys([
    { key: 'ArrowDown', says: traceText.keys.down, run: () => select(shown[Math.min(shown.length - 1, now + 1)]) },
    { key: 'ArrowUp', says: traceText.keys.up, run: () => select(shown[Math.max(0, now - 1)]) },
    { key: 'n', says: text.next, run: () => nextChange(1) },
    { key: 'N', says: text.previous, run: () => nextChange(-1) },
    { key: 'd', says: text.onlyChanges, run: () => setOnlyChanges(!onlyChanges) },
  ])
  const from = Math.max(0, Math.floor(top / rowPx) - 10)
  return (
    <div className={css['page']}>
      <header className={css['header']}>
        <h1>{text.title}</h1>
        <table className={css['sums']}>
          <tbody>
            <Sum project={project} side="A" model={a} against={undefined} />
            <Sum project={project} side="B" model={b} against={a} />
          </tbody>
        </table>
        <p>
          {(['same', 'changed', 'onlyA', 'onlyB'] as const).map(change => (
            <span key={change} className={css['count']} data-change={change}>
              {changes.filter(each => each === change).length} {text[change]}
            </span>
          ))}
          <label>
            <input type="checkbox" checked={onlyChanges} onChange={({ target }) => setOnlyChanges(target.checked)} /> {text.onlyChanges}
          </label>
        </p>
      </header>
      <div className={css['split']}>
        <div
          ref={host}
          className={css['list']}
          onScroll={event => setTop(event.currentTarget.scrollTop)}
          role="group"
          aria-label={traceText.list}
          tabIndex={0}
        >
          <div style={{ height: shown.length * rowPx, paddingTop: from * rowPx }} className={css['inside']}>
            {shown.slice(from, from + seenRows).map(at => (
              <PairRow
                key={at}
                a={a}
                b={b}
                pair={pairs[at]!}
                change={changes[at]!}
                isSelected={at === selected}
                onSelect={() => select(at)}
              />
            ))}
          </div>
        </div>
        <section className={css['detail']} aria-label={traceText.detail.title} tabIndex={0}>
          {pair !== undefined && (
            <PairDetail
              key={selected}
              a={{ traceRef: { project, trace: a.head.id, from: 'project' }, id: idOf(a, pair.a) }}
              b={{ traceRef: { project, trace: b.head.id, from: 'project' }, id: idOf(b, pair.b) }}
            />
          )}
        </section>
      </div>
    </div>
  )
}

const idOf = (model: TraceModel, row: number): string | undefined =>
  row < 0 || row === model.orphanage ? undefined : textAt(model.ids, row)

const signed = (value: number, say: (value: number) => string): string =>
  value === 0 ? '' : value > 0 ? `+${say(value)}` : `−${say(-value)}`

interface SumProps {
  readonly project: string
  readonly side: string
  readonly model: TraceModel
  readonly against: TraceModel | undefined
}

function Sum({ project, side, model, against }: SumProps) {
  const { head } = model
  const tokens = (of: TraceModel) => of.head.inputTokens + of.head.outputTokens
  const delta = (value: (of: TraceModel) => number, say: (value: number) => string) =>
    against === undefined ? null : <small> {signed(value(model) - value(against), say)}</small>
  return (
    <tr>
      <th scope="row">
        {side}{' '}
        <Link to="/project/$projectId/traces/$traceId" params={{ projectId: project, traceId: head.id }} search={{}}>
          <bdi>{head.name ?? head.id}</bdi>
        </Link>
      </th>
      <td>
        {duration(model.totalUs / 1000)}
        {delta(
          of => of.totalUs,
          us => duration(us / 1000),
        )}
      </td>
      <td>
        {cost(head.cost)}
        {delta(of => of.head.cost, cost)}
      </td>
      <td>
        {shortCount(tokens(model))} {traceText.tokens}
        {delta(tokens, shortCount)}
      </td>
      <td>
        {traceText.observations(head.observations)}
        {delta(of => of.head.observations, shortCount)}
      </td>
      <td>
        {traceText.errors(head.errors)}
        {delta(of => of.head.errors, shortCount)}
      </td>
    </tr>
  )
}

interface PairRowProps extends Sides {
  readonly pair: Pair
  readonly change: ReturnType<typeof changeOf>
  readonly isSelected: boolean
  readonly onSelect: () => void
}

const marks = { same: '', changed: '≠', onlyA: '−', onlyB: '+' }

function PairRow({ a, b, pair, change, isSelected, onSelect }: PairRowProps) {
  const [model, row] = pair.b >= 0 ? [b, pair.b] : [a, pair.a]
  const us = (of: TraceModel, at: number) => of.endsUs[at]! - of.startsUs[at]!
  const isBoth = pair.a >= 0 && pair.b >= 0
  return (
    <button type="button" className={css['row']} data-change={change} aria-pressed={isSelected} onClick={onSelect}>
      <span className={css['mark']} title={text[change]}>
        {marks[change]}
      </span>
      <span className={css['name']} style={{ paddingLeft: Math.min(pair.depth, 24) * 14 }}>
        <Glyph type={textAt(model.texts, model.types[row]!)} /> <bdi>{nameOf(model, row)}</bdi>
      </span>
      <span className={css['number']}>{pair.a < 0 ? '' : duration(us(a, pair.a) / 1000)}</span>
      <span className={css['number']}>{pair.b < 0 ? '' : duration(us(b, pair.b) / 1000)}</span>
      <span className={css['number']}>{isBoth ? signed(us(b, pair.b) - us(a, pair.a), value => duration(value / 1000)) : ''}</span>
      <span className={css['number']}>{isBoth ? signed(b.costs[pair.b]! - a.costs[pair.a]!, cost) : ''}</span>
    </button>
  )
}
