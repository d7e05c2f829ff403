/** Direction of a message as a shape; in words beside it for those who do not see it. */
interface ArrowProps {
  readonly direction: 'to_server' | 'to_client' | undefined;
}

export function Arrow({ direction }: ArrowProps) {
  return (
    <svg
      className={`ins-mcp-arrow ins-mcp-arrow--${direction ?? 'none'}`}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {direction === 'to_server' && <path d="M2 8h12M10 4l4 4-4 4" />}
      {direction === 'to_client' && <path d="M14 8H2M6 4 2 8l4 4" />}
      {direction === undefined && <path d="M8 6.5v3" />}
    </svg>
  );
}

export function directionText(direction: ArrowProps['direction']): string {
  if (direction === 'to_server') return 'client to server';
  if (direction === 'to_client') return 'server to client';
  return '';
}
