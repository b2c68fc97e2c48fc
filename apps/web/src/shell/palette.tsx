// The palette (Ctrl-K).
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { meQuery, projectsOf } from '../api/me.ts'
import { Modal } from '../design/modal.tsx'
import { setTheme, themes } from '../design/theme.ts'
import { readPasted } from '../observations/pasted.ts'
import { text } from '../text/strings.ts'
import css from './palette.module.css'
import { useFollowPasted } from './pasted-place.ts'
import { ownPlaces } from './places.ts'

interface Entry {
  readonly id: string
  readonly says: string
  readonly kind: string
  readonly run: () => void
}

function useEntries(): readonly Entry[] {
  const { projectId } = useParams({ strict: false })
  const { data: me } = useQuery(meQuery)
  const navigate = useNavigate()
  const places =
    projectId === undefined
      ? []
      : ownPlaces.map(({ id, path }) => ({
          id,
          says: text.places[id],
          kind: text.places.navigation,
          run: () => void navigate({ to: `/project/$projectId/${path}`, params: { projectId }, search: {} }),
        }))
  const projects = (me ? projectsOf(me) : []).map(({ id, name }) => ({
    id: `project-${id}`,
    says: name,
    kind: text.shell.projects,
    run: () => void navigate({ to: '/project/$projectId/observations', params: { projectId: id }, search: {} }),
  }))
  const looks = themes.map(each => ({
    id: `theme-${each}`,
    says: `${text.shell.theme}: ${text.shell.themes[each]}`,
    kind: text.shell.commands,
    run: () => setTheme(each),
  }))
  return [...places, ...projects, ...looks]
}

function usePastedEntry(typed: string): readonly Entry[] {
  const follow = useFollowPasted()
  const pasted = readPasted(typed)
  if (follow === undefined || pasted === undefined) return []
  return [{ id: 'pasted', says: text.shell.openId(typed.trim()), kind: text.shell.goTo, run: () => void follow(pasted) }]
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const wanted = typed.trim().toLowerCase()
  const known = useEntries().filter(({ says }) => says.toLowerCase().includes(wanted))
  const entries = [...usePastedEntry(typed), ...known]
  const chosen = entries[Math.min(at, entries.length - 1)]
  function run(entry: Entry | undefined): void {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, entries.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter') run(chosen)
    else return
    event.preventDefault()
  }
  return (
    <Modal label={text.shell.commands} onClose={onClose}>
      <input
        autoFocus
        className={css['input']}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen && `${listId}-${chosen.id}`}
        aria-label={text.shell.commands}
        placeholder={text.shell.commandsHint}
        value={typed}
        onChange={event => {
          setTyped(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={text.shell.commands} className={css['list']}>
        {entries.map(entry => (
          <div
            key={entry.id}
            id={`${listId}-${entry.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={entry === chosen}
            className={css['entry']}
            onClick={() => run(entry)}
          >
            {entry.says}
            <span className={css['kind']}>{entry.kind}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={css['kind']}>{text.shell.nothingFound}</p>}
    </Modal>
  )
}
