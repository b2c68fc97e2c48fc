// The list of the page's keyboard shortcuts. The key `?` opens this list.
import { Button } from '../design/button.tsx'
import { Modal } from '../design/modal.tsx'
import { useKeyList } from '../keys/keys.ts'
import { text } from '../text/strings.ts'
import css from './key-list.module.css'

const shown: Readonly<Record<string, string>> = { ' ': 'Space', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' }

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const commands = useKeyList()
  return (
    <Modal label={text.shell.keys} onClose={onClose}>
      <h2>{text.shell.keys}</h2>
      <dl className={css['list']}>
        {commands.map(({ key, says }) => (
          <div key={key} className={css['line']}>
            <dt>
              <kbd>{shown[key] ?? key.replace('Ctrl+k', 'Ctrl K')}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <p className={css['note']}>{text.shell.keysHelp}</p>
      <Button onClick={onClose}>{text.shell.close}</Button>
    </Modal>
  )
}
