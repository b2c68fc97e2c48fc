// The page of a project's observations. The URL alone determines what the page shows.
import { useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { Empty, Failed, Loading, Stale } from '../design/states.tsx'
import { withColumnToggled } from '../filter/column-ids.ts'
import { defaultFilter } from '../filter/default.ts'
import { parseFilter } from '../filter/parse.ts'
import { ValueMenu } from '../filter/value-menu.tsx'
import { termOf } from '../filter/write.ts'
import { useKeys } from '../keys/keys.ts'
import { readRange, writeRange } from '../search/range.ts'
import { type PageSearch, pageSearch } from '../search/search.ts'
import { observationsText as text } from '../text/observations.ts'
import { count } from '../text/units.ts'
import { rememberTraces } from '../trace/neighbors.ts'
import { type Column, choicesOf, chosenColumns } from './columns.tsx'
import { EmptyRows } from './empty-rows.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Histogram } from './histogram.tsx'
import { heldOf, useLive, withLive } from './live.ts'
import { canCompare, mostMarks, readMarks, toggleMark, writeMarks } from './marks.ts'
import { BulkMenu, ExportMenu, ViewsMenu } from './menus.tsx'
import { useMore } from './more.ts'
import { findId, type Pasted } from './pasted.ts'
import { maxRows, mostSorted, type Row, rowKey, useRows } from './rows.ts'
import { nextSort, readSort, type SortField, sortFieldOf } from './sort.ts'
import css from './table.module.css'
import { type Active, Table } from './table.tsx'
import { TableTools } from './table-tools.tsx'

const MarkedBar = lazy(() => import('./marked-bar.tsx').then(module => ({ default: module.MarkedBar })))
const Peek = lazy(() => import('./peek.tsx').then(module => ({ default: module.Peek })))
const Differences = lazy(() => import('./differences.tsx').then(module => ({ default: module.Differences })))

const JumpDialog = lazy(() => import('./jump-dialog.tsx').then(module => ({ default: module.JumpDialog })))

const heights: readonly number[] = [28, 64, 160]

function useChange() {
  const navigate = useNavigate()
  return useCallback(
    (change: PageSearch, replace = false) =>
      void navigate({ to: '.', search: (before: PageSearch) => ({ ...before, ...change }), replace }),
    [navigate],
  )
}

export function ObservationsPage() {
  const { projectId: project } = useParams({ from: '/signed-in/project/$projectId' })
  const search = useSearch({ from: '/signed-in/project/$projectId' })
  const { q = defaultFilter, t, cols, peek } = search
  const change = useChange()
  const router = useRouter()
  const input = useRef<HTMLInputElement>(null)
  const [active, setActiveState] = useState<Active>({ row: -1, column: 0 })
  // Key presses can come faster than renders, so each key press continues from the latest state.
  const latest = useRef(active)
  function setActive(next: Active): void {
    latest.current = next
    setActiveState(next)
  }
  const [menu, setMenu] = useState<{ readonly row: Row; readonly column: Column; readonly at: DOMRect } | null>(null)
  const [note, setNote] = useState<string>()
  const [isJumping, setJumping] = useState(false)
  const marked = useMemo(() => readMarks(search.marks), [search.marks])
  const markedKeys = useMemo(() => new Set(marked.map(rowKey)), [marked])

  const parsed = parseFilter(q)
  const conditions = parsed.ok ? parsed.conditions : []
  const part = useMemo(() => (search.sel === undefined ? undefined : readRange(search.sel, Date.now())), [search.sel])
  const sort = readSort(search.sort)
  const list = useRows({ project, conditions, t, part, sort }, parsed.ok)
  const isLive = search.live === '1'
  const [isReading, setReading] = useState(false)
  const live = useLive({
    project,
    conditions,
    isOn: isLive && parsed.ok && sort === undefined && part === undefined,
    isPaused: isReading,
  })
  const columns = chosenColumns(cols)
  const [liveRows, readRows] = [useMore(project, live.rows, columns), useMore(project, list.rows, columns)]
  const rows = useMemo(() => withLive(liveRows, readRows), [liveRows, readRows])
  const held = useMemo(() => heldOf(live.arrived, live.rows, list.rows), [live.arrived, live.rows, list.rows])
  const { range, fetchNextPage, hasNextPage, isFetchingNextPage, isFetching } = list
  const isDiffering = search.differs === '1'
  const rowHeight = heights.find(each => String(each) === search.h) ?? 28

  const traceAt = (traceId: string, o?: string) =>
    ({ to: '/project/$projectId/traces/$traceId', params: { projectId: project, traceId }, search: { o } }) as const
  const openTrace = (traceId: string, o?: string) => void router.navigate(traceAt(traceId, o))
  function open(row: Row | undefined): void {
    if (row === undefined) return
    rememberTraces(
      project,
      rows.map(({ traceId }) => traceId),
    )
    openTrace(row.traceId, row.id)
  }
  const openSession = (sessionId: string) =>
    void router.navigate({ to: '/project/$projectId/sessions/$sessionId', params: { projectId: project, sessionId }, search: {} })
  const [peekedTrace = '', peekedId] = peek?.split(':') ?? []
  const peeked = [peekedTrace, peekedId] as const
  const peekAt = (row: Row | undefined) => change({ peek: row && rowKey(row) }, true)
  const addTerm = (term: string) => change({ q: `${q} ${term}`.trim(), peek: undefined })

  function move(to: number): void {
    const row = Math.min(Math.max(0, to), rows.length - 1)
    setActive({ ...latest.current, row })
    if (peek !== undefined) peekAt(rows[row])
  }
  const sortBy = (by: SortField) => change({ sort: nextSort(by, sort) })
  function mark(row: Row | undefined): void {
    if (row === undefined) return
    // Key presses can come faster than renders, so the current marks are read from the router, not from the last render.
    const next = toggleMark(readMarks(pageSearch(router.latestLocation.search).marks), row)
    if (next === undefined) return setNote(text.mostMarked(count(mostMarks)))
    change({ marks: writeMarks(next) }, true)
  }
  function compare(): void {
    const now = readMarks(pageSearch(router.latestLocation.search).marks)
    const [a, b] = now
    if (a === undefined || b === undefined || !canCompare(now)) return setNote(text.compareHelp)
    const params = { projectId: project, traceA: a.traceId, traceB: b.traceId }
    void router.navigate({ to: '/project/$projectId/traces/$traceA/compare/$traceB', params })
  }
  function copyLink(): void {
    navigator.clipboard.writeText(location.href).then(
      () => setNote(text.linkCopied),
      () => setNote(text.linkNotCopied),
    )
  }
  const toggleLive = () => change({ live: isLive ? undefined : '1' }, true)
  function openMenu(): void {
    const at = latest.current
    const row = rows[at.row]
    const cell = document.getElementById(`cell-${at.row}-${at.column}`)
    if (row !== undefined && cell !== null) setMenu({ row, column: columns[at.column]!, at: cell.getBoundingClientRect() })
  }
  /** If no row is active, filters by the name of the newest row. */
  function filterBy(choice: 'only' | 'not'): void {
    const at = latest.current
    const row = rows[Math.max(0, at.row)]
    const column = at.row < 0 ? columns.find(({ id }) => id === 'name') : columns[at.column]
    if (row === undefined || column === undefined) return
    const condition = choicesOf(column, row)[choice]
    const term = condition && termOf(condition)
    if (term === undefined) setNote(text.noFilter(column.title))
    else addTerm(term)
  }
  function follow(pasted: Pasted): void {
    setNote(undefined)
    if (pasted.kind === 'filter') return change({ q: pasted.text, peek: undefined })
    if (pasted.kind === 'session') return openSession(pasted.id)
    if (pasted.kind === 'trace') return openTrace(pasted.traceId, pasted.observationId)
    setNote(text.looking(pasted.id))
    findId(project, pasted.id)
      .then(found => (found === undefined ? setNote(text.foundNothing(pasted.id)) : follow(found)))
      .catch((error: Error) => setNote(error.message))
  }

  const current = () => rows[latest.current.row]
  const cell = (by: number) =>
    setActive({ ...latest.current, column: Math.min(Math.max(0, latest.current.column + by), columns.length - 1) })
  useKeys([
    { key: 'j', says: text.keys.next, run: () => move(latest.current.row + 1) },
    { key: 'k', says: text.keys.previous, run: () => move(latest.current.row - 1) },
    { key: 'ArrowDown', says: text.keys.next, run: () => move(latest.current.row + 1) },
    { key: 'ArrowUp', says: text.keys.previous, run: () => move(latest.current.row - 1) },
    { key: 'ArrowLeft', says: text.keys.left, run: () => cell(-1) },
    {
      key: 'ArrowRight',
      says: text.keys.right,
      run: () => cell(1),
    },
    { key: ' ', says: text.keys.peek, run: () => (peek === undefined ? peekAt(current()) : peekAt(undefined)) },
    { key: 'Enter', says: text.keys.open, run: () => open(current()) },
    {
      key: 'S',
      says: text.keys.session,
      run() {
        const sessionId = (current() ?? rows[0])?.sessionId
        if (sessionId !== null && sessionId !== undefined) openSession(sessionId)
      },
    },
    { key: 'Escape', says: text.keys.close, run: () => peekAt(undefined) },
    { key: '/', says: text.keys.filter, run: () => input.current?.focus() },
    { key: 'v', says: text.keys.menu, run: openMenu },
    { key: '+', says: text.keys.only, run: () => filterBy('only') },
    { key: '-', says: text.keys.not, run: () => filterBy('not') },
    {
      key: 's',
      says: text.keys.sort,
      run() {
        const by = sortFieldOf(columns[latest.current.column]?.id ?? '')
        if (by !== undefined) sortBy(by)
      },
    },
    { key: 'x', says: text.keys.mark, run: () => mark(current()) },
    { key: 'c', says: text.keys.compare, run: compare },
    { key: 'y', says: text.keys.link, run: copyLink },
    { key: 'g', says: text.keys.jump, run: () => setJumping(true) },
    { key: 'r', says: text.keys.refresh, run: list.readAgain },
    { key: 'l', says: text.keys.live, run: toggleLive },
  ])

  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])

  const bulk = <BulkMenu project={project} conditions={conditions} range={part ?? range} marked={marked} onDone={list.readAgain} />
  return (
    <div className={css['page']}>
      <h1 className="unseen">{text.title}</h1>
      <FilterBar
        project={project}
        value={q}
        input={input}
        note={note}
        onApply={next => {
          setNote(undefined)
          setActive({ row: -1, column: 0 })
          change({ q: next === defaultFilter ? undefined : next, peek: undefined })
        }}
        onPasted={follow}
      />
      <Histogram
        project={project}
        conditions={conditions}
        range={range}
        isEnabled={parsed.ok}
        part={part}
        onPart={(next, differs = isDiffering) =>
          change({ sel: next && writeRange(next.fromMs, next.toMs), differs: next !== undefined && differs ? '1' : undefined })
        }
        onZoom={() => change({ t: search.sel, sel: undefined, differs: undefined })}
        isDiffering={isDiffering}
        onDiffers={() => change({ differs: isDiffering ? undefined : '1' })}
      />
      {part !== undefined && isDiffering && parsed.ok && (
        <Suspense fallback={<Loading />}>
          <Differences project={project} conditions={conditions} range={range} part={part} onTerm={addTerm} />
        </Suspense>
      )}
      <div className={css['body']} data-peek={peek !== undefined}>
        <div className={css['tableArea']}>
          <TableTools
            project={project}
            shown={rows.length}
            isAll={!hasNextPage && rows.length < maxRows}
            isFetching={isFetching && !isFetchingNextPage}
            columns={columns}
            rowHeight={rowHeight}
            onColumns={ids => change({ cols: ids }, true)}
            onRowHeight={h => change({ h: h === 28 ? undefined : String(h) }, true)}
            onRefresh={list.readAgain}
            isLive={isLive}
            held={held}
            isTooFast={live.isTooFast}
            onLive={toggleLive}
          >
            <ViewsMenu project={project} search={search} onOpen={next => void router.navigate({ to: '.', search: next })} />
            <ExportMenu project={project} conditions={conditions} range={part ?? range} marked={marked} />
            {marked.length === 0 && bulk}
          </TableTools>
          {marked.length > 0 && (
            <Suspense>
              <MarkedBar marked={marked} onCompare={compare} onClear={() => change({ marks: undefined }, true)}>
                {bulk}
              </MarkedBar>
            </Suspense>
          )}
          {list.isError && rows.length > 0 && <Stale sinceMs={list.dataUpdatedAt} error={list.error} onRetry={list.readAgain} />}
          {list.isError && rows.length === 0 ? (
            <Failed error={list.error} onRetry={list.readAgain} />
          ) : list.isPending && parsed.ok ? (
            <Loading />
          ) : !parsed.ok ? (
            <Empty title={parsed.message} />
          ) : rows.length === 0 ? (
            <EmptyRows project={project} q={q} terms={parsed.terms} t={t} onChange={change} onRead={list.readAgain} />
          ) : (
            <Table
              rows={rows}
              columns={columns}
              rowHeight={rowHeight}
              active={active}
              isStale={list.isPlaceholderData}
              sort={sort}
              onSort={sortBy}
              marks={markedKeys}
              onMark={mark}
              onReading={setReading}
              onActive={setActive}
              onPeek={peekAt}
              onSession={openSession}
              onOpen={open}
              onMenu={(row, column, at) => setMenu({ row, column, at })}
              onNearEnd={onNearEnd}
            />
          )}
          {sort !== undefined && rows.length >= mostSorted && <p className={css['foot']}>{text.sorted(count(mostSorted))}</p>}
          {rows.length >= maxRows && <p className={css['foot']}>{text.most(count(maxRows))}</p>}
        </div>
        {peek !== undefined && (
          <Suspense>
            <Peek
              project={project}
              peek={peek}
              href={router.buildLocation(traceAt(...peeked)).href}
              onOpen={() => openTrace(...peeked)}
              onClose={() => peekAt(undefined)}
            />
          </Suspense>
        )}
      </div>
      {isJumping && (
        <Suspense>
          <JumpDialog
            range={range}
            onRange={next => change({ t: next, sel: undefined, differs: undefined, peek: undefined })}
            onClose={() => setJumping(false)}
          />
        </Suspense>
      )}
      {menu !== null && (
        <ValueMenu
          title={menu.column.title}
          value={menu.column.textOf(menu.row)}
          choices={choicesOf(menu.column, menu.row)}
          isShown
          at={menu.at}
          onTerm={addTerm}
          onColumn={id => change({ cols: withColumnToggled(cols, id) })}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}
