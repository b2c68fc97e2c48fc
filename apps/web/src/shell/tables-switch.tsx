// The switch between new and old tables, for installations that fill both.
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../api/me.ts'
import { chooseTables, useTables } from '../api/tables.ts'
import { oldText as text } from '../text/old.ts'
import css from './tables-switch.module.css'

const both = ['new', 'old'] as const

export function TablesSwitch() {
  const { tables } = useTables()
  const { data: me } = useQuery(meQuery)
  return (
    <fieldset className={css['switch']} data-tables={tables} title={text.help}>
      <legend className="unseen">{text.tables}</legend>
      {both.map(each => (
        <label key={each}>
          <input type="radio" name="tables" checked={tables === each} onChange={() => me && chooseTables(me.user.id, each)} />
          {text.names[each]}
        </label>
      ))}
    </fieldset>
  )
}
