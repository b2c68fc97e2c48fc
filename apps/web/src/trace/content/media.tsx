// Shows the media of a message. Media that the message contains only as an http or https URL are loaded only when the user opens them.
import { useEffect, useState } from 'react'
import { traceText } from '../../text/trace.ts'
import { bytes as bytesText } from '../../text/units.ts'
import css from './content.module.css'

const { detail } = traceText

// SVG is not shown, because an SVG file is a document, which can contain links and scripts.
const isPicture = (mime: string) => /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/.test(mime)

export function Media({ mime, source }: { readonly mime: string; readonly source: string | Blob }) {
  const [url, setUrl] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (typeof source === 'string') return
    const made = URL.createObjectURL(source)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [source])
  if (typeof source !== 'string') {
    if (url === undefined) return null
    if (isPicture(source.type)) return <img className={css['media']} src={url} alt={`${source.type}, ${bytesText(source.size)}`} />
    // biome-ignore lint/a11y/useMediaCaption: recordings that a model receives have no captions
    if (source.type.startsWith('audio/')) return <audio controls src={url} />
    return (
      <a href={url} download>
        {source.type}, {bytesText(source.size)}
      </a>
    )
  }
  const remote = /^https?:\/\/([^/?#]+)/i.exec(source)
  if (remote !== null) {
    return (
      <p className={css['note']}>
        {detail.remote(remote[1]!)}{' '}
        <a href={source} target="_blank" rel="noopener noreferrer">
          {detail.open}
        </a>
      </p>
    )
  }
  return (
    <p className={css['note']}>
      {source.startsWith('@@@') ? detail.mediaStored : detail.media}: {mime} <code className={css['id']}>{source.slice(0, 200)}</code>
    </p>
  )
}
