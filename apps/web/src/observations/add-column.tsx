// A form that adds a column for a metadata path or score.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { call } from '../api/client.ts'
import { Button, Field } from '../design/button.tsx'
import { leafColumnId, scoreColumnId } from '../filter/column-ids.ts'
import { observationsText as text } from '../text/observations.ts'
import css from './table.module.css'

const days = 30
const mostNames = 100

interface AddColumnProps {
  readonly project: string
  readonly onAdd: (id: string) => void
}

export function AddColumn({ project, onAdd }: AddColumnProps) {
  const leaves = useQuery({
    queryKey: ['leaves', project],
    staleTime: 5 * 60_000,
    async queryFn({ signal }) {
      const fromStartTime = new Date(Date.now() - days * 86_400_000).toISOString()
      const { facets } = await call('webRows.facets', { project, query: { fields: 'metadata', limit: mostNames, fromStartTime }, signal })
      return facets[0]?.values.map(({ value }) => value) ?? []
    },
  })
  const scores = useQuery({
    queryKey: ['scoreNames', project],
    staleTime: 5 * 60_000,
    async queryFn({ signal }) {
      const { data } = await call('scores.getMany', { project, query: { limit: mostNames }, signal })
      return [...new Set(data.map(({ name }) => name))]
    },
  })
  return (
    <div className={css['panel']}>
      <Add label={text.metadataColumn} names={leaves.data ?? []} onAdd={name => onAdd(leafColumnId(name))} />
      <Add label={text.scoreColumn} names={scores.data ?? []} onAdd={name => onAdd(scoreColumnId(name))} />
    </div>
  )
}

interface AddProps {
  readonly label: string
  readonly names: readonly string[]
  readonly onAdd: (name: string) => void
}

function Add({ label, names, onAdd }: AddProps) {
  const [typed, setTyped] = useState('')
  const listId = useId()
  function add(event: FormEvent): void {
    event.preventDefault()
    if (typed.trim() === '') return
    onAdd(typed.trim())
    setTyped('')
  }
  return (
    <form className={css['choice']} onSubmit={add}>
      <Field label={label} value={typed} list={listId} onChange={({ target }) => setTyped(target.value)} />
      <datalist id={listId}>
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit" aria-label={`${text.addColumn}: ${label}`}>
        {text.addColumn}
      </Button>
    </form>
  )
}
