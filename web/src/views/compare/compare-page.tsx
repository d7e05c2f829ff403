export function ComparePage() {
  return <main />;
}
