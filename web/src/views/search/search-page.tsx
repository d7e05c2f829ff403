export function SearchPage() {
  return <main />;
}
